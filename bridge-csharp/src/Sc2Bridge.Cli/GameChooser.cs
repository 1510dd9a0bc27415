using Sc2Bridge.Games;

namespace Sc2Bridge.Cli;

/// <summary>Picks the game that a match is played on, and says which.</summary>
internal static class GameChooser
{
    /// <exception cref="GameException">StarCraft II was asked for and is not there, or the address is none.</exception>
    /// <exception cref="CommandException">Options contradict each other.</exception>
    internal static IGameSource Choose(MatchOptions options, Action<string> say)
    {
        if (options.Attach is not null)
        {
            if (options.Game != GameChoice.Auto || options.Observations is not null
                || options.GamePort != 0 || options.StartDeadline is not null)
            {
                throw new CommandException(
                    "--attach uses the game that runs there: "
                    + "leave out --game, --observations, --game-port and --start-deadline");
            }

            var address = GameAddress.Parse(options.Attach);
            say($"Game: the one that runs at {address}");
            return new StarCraftSource(options.Settings, address);
        }

        if (options.Observations is not null && options.Game == GameChoice.Starcraft)
        {
            throw new CommandException("--observations is for the simulated game: leave out --game starcraft");
        }

        if (options.Game != GameChoice.Simulated && options.Observations is null)
        {
            var installation = options.Game == GameChoice.Starcraft
                ? Installation.Find(new ThisMachine())
                : Installation.TryFind(new ThisMachine());
            if (installation is not null)
            {
                say($"Game: StarCraft II in {installation.Root}");
                return Started(options, GameLaunch.StarCraft(installation));
            }
        }

        say("Game: simulated, a stand-in: its figures are not StarCraft II's");
        return Started(options, Simulated(options.Observations));
    }

    private static StarCraftSource Started(MatchOptions options, GameLaunch launch) => new(
        options.Settings,
        launch with { Port = options.GamePort, StartTimeout = options.StartDeadline ?? launch.StartTimeout });

    // The simulated game is this program, in a process of its own behind its socket, as the real game is.
    private static GameLaunch Simulated(string? observations)
    {
        var program = Environment.ProcessPath!;
        var assembly = Path.Combine(AppContext.BaseDirectory, "sc2bridge.dll");
        List<string> leading =
            Path.GetFileNameWithoutExtension(program) == "dotnet" ? [assembly, "simulate"] : ["simulate"];
        string[] more = observations is null ? [] : ["-observations", Path.GetFullPath(observations)];
        return GameLaunch.SimulatedGame(program, leading) with { MoreArguments = more };
    }
}
