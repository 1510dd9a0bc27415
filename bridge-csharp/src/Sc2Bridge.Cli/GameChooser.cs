using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>The game to play on: one to start, or the address of one that runs.</summary>
internal sealed record ChosenGame(GameLaunch? Launch, GameAddress? Address)
{
    /// <summary>To watch replays in.</summary>
    internal ReplayGame ForReplays() => Launch is not null ? new ReplayGame(Launch) : new ReplayGame(Address!);
}

/// <summary>Picks the game that is played on, and says which.</summary>
internal static class GameChooser
{
    /// <exception cref="GameException">StarCraft II was asked for and is not there, or the address is none.</exception>
    /// <exception cref="CommandException">Options contradict each other.</exception>
    internal static ChosenGame Choose(GameOptions options, Action<string> say)
    {
        if (options.Attach is not null)
        {
            if (options.Game != GameChoice.Auto || options.Observations is not null
                || options.Port != 0 || options.StartDeadline is not null)
            {
                throw new CommandException(
                    "--attach uses the game that runs there: "
                    + "leave out --game, --observations, --game-port and --start-deadline");
            }

            var address = GameAddress.Parse(options.Attach);
            say($"Game: the one that runs at {address}");
            return new ChosenGame(null, address);
        }

        if (options.Observations is not null && options.Game == GameChoice.Starcraft)
        {
            throw new CommandException("--observations is for the simulated game: leave out --game starcraft");
        }

        if (options.Observations is { } folder && !Directory.Exists(folder))
        {
            throw new CommandException($"--observations {folder}: there is no such folder");
        }

        if (options.Game != GameChoice.Simulated && options.Observations is null)
        {
            var installation = options.Game == GameChoice.Starcraft
                ? Installation.Find()
                : Installation.TryFind();
            if (installation is not null)
            {
                say($"Game: StarCraft II in {installation.Root}");
                return Started(options, GameLaunch.StarCraft(installation));
            }
        }

        say("Game: simulated, a stand-in: its figures are not StarCraft II's");
        return Started(options, Simulated(options.Observations));
    }

    /// <summary>The game for a replay: where none was named, the one that saved it.</summary>
    /// <exception cref="GameException">It is not there.</exception>
    internal static ChosenGame Choose(GameOptions options, Replay replay, Action<string> say)
    {
        if (options.Game != GameChoice.Auto || options.Attach is not null)
        {
            return Choose(options, say);
        }

        if (replay.Head.Kind == ReplayKind.Simulated)
        {
            return Choose(options with { Game = GameChoice.Simulated }, say);
        }

        return Installation.TryFind() is not null
            ? Choose(options, say)
            : throw new CommandException(
                $"{replay.Path} is a replay of StarCraft II{VersionOf(replay.Head)}, which only the game itself can play, "
                + "and that was not found: install it, or set SC2PATH to the folder that holds its Versions folder");
    }

    // Which of the installed games, or of Blizzard's packages for Linux.
    private static string VersionOf(ReplayHead head) =>
        head.BaseBuild is { } build ? $" {head.GameVersion} (Versions/Base{build})" : "";

    private static ChosenGame Started(GameOptions options, GameLaunch launch) => new(
        launch with { Port = options.Port, StartTimeout = options.StartDeadline ?? launch.StartTimeout }, null);

    /// <summary>The simulated game: this program, in a process of its own behind its socket, as the real game is.</summary>
    /// <param name="observations">Observation files to answer with; null for its own world.</param>
    internal static GameLaunch Simulated(string? observations)
    {
        string[] more = observations is null ? [] : ["-observations", Path.GetFullPath(observations)];
        return GameLaunch.SimulatedGame(OwnProgram.Words[0], [.. OwnProgram.Words.Skip(1), "simulate"]) with
        {
            MoreArguments = more,
        };
    }
}
