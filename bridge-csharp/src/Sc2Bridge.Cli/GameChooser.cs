using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>The chosen game: a game to start, or the address of a running game. One of the two values is null.</summary>
internal sealed record ChosenGame(GameLaunch? Launch, GameAddress? Address)
{
    /// <summary>Makes the game for replays.</summary>
    internal ReplayGame CreateReplayGame() => Launch is not null ? new ReplayGame(Launch) : new ReplayGame(Address!);
}

/// <summary>Chooses the game, and prints the choice.</summary>
internal static class GameChooser
{
    /// <summary>Chooses the game that the options request.</summary>
    /// <exception cref="GameException">StarCraft II was requested and not found, or the address is invalid.</exception>
    /// <exception cref="CommandException">Options contradict each other.</exception>
    internal static ChosenGame Choose(GameOptions options, Action<string> print)
    {
        if (options.Attach is not null)
        {
            if (options.Game != GameChoice.Auto || options.Observations is not null
                || options.Port != 0 || options.StartDeadline is not null)
            {
                throw new CommandException(
                    "--attach uses a game that already runs: "
                    + "leave out --game, --observations, --game-port and --start-deadline");
            }

            var address = GameAddress.Parse(options.Attach);
            print($"Game: already running at {address}");
            return new ChosenGame(null, address);
        }

        if (options.Observations is not null && options.Game == GameChoice.Starcraft)
        {
            throw new CommandException("--observations is for the simulated game: leave out --game starcraft");
        }

        if (options.Observations is { } folder && !Directory.Exists(folder))
        {
            throw new CommandException($"--observations {folder}: the folder does not exist: name a folder of observation files");
        }

        if (options.Game != GameChoice.Simulated && options.Observations is null)
        {
            var installation = options.Game == GameChoice.Starcraft
                ? Installation.Find()
                : Installation.TryFind();
            if (installation is not null)
            {
                print($"Game: StarCraft II in {installation.Root}");
                return WithStartOptions(options, GameLaunch.StarCraft(installation));
            }
        }

        print("Game: simulated, a stand-in: its figures are not StarCraft II's");
        return WithStartOptions(options, SimulatedLaunch(options.Observations));
    }

    /// <summary>Chooses the game for a replay. The default is the game that saved the replay.</summary>
    /// <exception cref="GameException">The game was not found.</exception>
    internal static ChosenGame Choose(GameOptions options, Replay replay, Action<string> print)
    {
        if (options.Game != GameChoice.Auto || options.Attach is not null)
        {
            return Choose(options, print);
        }

        if (replay.Head.Kind == ReplayGameKind.Simulated)
        {
            return Choose(options with { Game = GameChoice.Simulated }, print);
        }

        return Installation.TryFind() is not null
            ? Choose(options, print)
            : throw new CommandException(
                "StarCraft II was not found: install it, or set SC2PATH to the folder that holds its Versions folder "
                + $"({replay.Path} is a replay of StarCraft II{VersionOf(replay.Head)}, which only the game itself can play)");
    }

    // Returns the version and the build. With them, the user can select an installed game or one of Blizzard's packages for Linux.
    private static string VersionOf(ReplayHead head) =>
        head.BaseBuild is { } build ? $" {head.GameVersion} (Versions/Base{build})" : "";

    private static ChosenGame WithStartOptions(GameOptions options, GameLaunch launch) => new(
        launch with { Port = options.Port, StartTimeout = options.StartDeadline ?? launch.StartTimeout }, null);

    /// <summary>The simulated game: this program in a separate process, with the same WebSocket API as the real game.</summary>
    /// <param name="observations">A folder of observation files that the game answers with; null to simulate a match.</param>
    internal static GameLaunch SimulatedLaunch(string? observations)
    {
        string[] arguments = observations is null ? [] : ["-observations", Path.GetFullPath(observations)];
        return GameLaunch.SimulatedGame(OwnProgram.CommandWords[0], [.. OwnProgram.CommandWords.Skip(1), "simulate"]) with
        {
            MoreArguments = arguments,
        };
    }
}
