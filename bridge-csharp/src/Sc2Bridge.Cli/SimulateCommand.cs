using System.CommandLine;
using Sc2Bridge.Admission;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>
/// <c>sc2bridge simulate</c>: a game process with the arguments of the real game. It runs the simulated game, or plays
/// a recording to the client that connects.
/// </summary>
internal static class SimulateCommand
{
    /// <summary>Makes the command for the help. <see cref="RunAsync"/> reads the options itself, because some options begin with one dash.</summary>
    internal static DocumentedCommand Create()
    {
        var port = Text("-port", "0", "PORT", "the port to listen on; 0 takes a free one, which is printed");
        var replays = Text("-replays", null, "DIR", "the folder of replays; no other file is read for a client, and none is written");
        var recording = Text("--recording", null, "FILE", "play a recorded match in place of the simulated game, whatever the client orders");
        var command = new DocumentedCommand("simulate", "Runs the simulated game, or plays a recording, as a separate game process.")
        {
            Examples =
            [
                ("a game on port 5000, for a bot to connect to", "simulate -listen 127.0.0.1 -port 5000"),
                ("a recorded match, which answers in place of the game", "simulate -port 5000 --recording match.mcap"),
            ],
            CommonOptions = [port, replays, recording],
            Remarks = "The command takes the real game's options, with one dash. Other options with one dash are listed once and ignored. An unknown "
                + "option with two dashes is an error.",
        };
        command.Add(
            new("as the real game", Text("-listen", "127.0.0.1", "HOST", "the address to listen on, at `ws://HOST:PORT/sc2api`"),
                port,
                Text("-dataVersion", null, "V", "the data version that the game reports"),
                Text("-baseBuild", null, "N", "the build that the game reports")),
            new("the simulated game", replays,
                Text("-allowHostIp", null, "HOST", "a further `host_ip` with which clients may join; may be repeated"),
                Text("-endQuirks", null, "LIST", "unusual behaviour of the real game at a match's end: `LateResults`, `LateStatus`, `Stub` ([which](../../bridge-csharp/src/Sc2Bridge.GameApi/Conformance/CONFORMANCE.md#further-rules))"),
                Text("-observations", null, "DIR", "answer with the observation files of a folder, in order"),
                Flag("-observationsRepeat", "begin again after the last observation file"),
                Flag("-quitWhenAlone", "end when the client leaves"),
                Text("--build", null, "VERSION", "report the versions of this build of StarCraft II, `4.10` or `5.0.14`, and leave out types that came later; the rules stay the same"),
                Text("--patch-day", null, "SEED", "answer as [a new version of the game](../guide/simulated-game.md#a-new-version-of-the-game) might: unknown types, values and fields, larger images")),
            new("a recording", recording,
                Text("--actions", null, "FILE", "write the client's actions and the recorded player's actions to this file"),
                Flag("--strict", "refuse requests whose answers were not recorded, instead of answering them from the map's grids")),
            new OptionGroup("access", PositiveNumber("--max-connections", "[the most connections](limits.md#who-may-connect) that wait while the game serves a client"),
                PositiveNumber("--max-connections-per-address", "the most connections of one address"),
                Text("--allow-host", null, "NAME", "a host name that clients may use for the game; may be repeated"),
                Text("--allow-origin", null, "ORIGIN", "the origin of a web page that may connect; may be repeated")));
        command.SetAction(_ => Failures.UsageError);
        return command;
    }

    /// <summary>Runs the game until a client requests to quit, or the user interrupts the program.</summary>
    internal static Task<int> RunAsync(string[] arguments, CancellationToken stopped) =>
        Failures.RunAndReportAsync(async () =>
        {
            try
            {
                await (RecordedGameOptions.Parse(arguments) is { } playback
                    ? PlayAsync(playback, stopped)
                    : SimulateAsync(SimulatorOptions.Parse(arguments, RecordedGameOptions.Flags), stopped));
            }
            catch (ArgumentException error)
            {
                throw new CommandException(error.Message, error);
            }

            return 0;
        });

    private static async Task SimulateAsync(SimulatorOptions options, CancellationToken stopped)
    {
        using var admission = CreateAdmission(options);
        await using var server = await SimulatedGameServer.StartAsync(options, admission, stopped);
        Failures.MarkCommandBegun();
        Console.WriteLine($"simulated game (not StarCraft II) at {new GameAddress(options.Listen, server.Port).Api}, on port {server.Port}");
        try
        {
            await UntilEndedAsync(server.Ended, stopped);
        }
        catch (SimulatedGameException failure)
        {
            foreach (var line in PlainText.Lines($"{failure.InnerException}"))
            {
                await Console.Error.WriteLineAsync(line);
            }

            throw new CommandException(failure.Message, failure);
        }
    }

    private static async Task PlayAsync(RecordedGameOptions options, CancellationToken stopped)
    {
        // Standard output also gets the errors: python-sc2 discards the standard error of the game.
        var output = Consoles.CreateForOutput();
        var console = new SessionConsole(output, output, Console.Out);
        using var admission = CreateAdmission(options);
        await using var server = await RecordedGameServer.StartAsync(
            options with { Admission = admission }, console.Print, stopped);
        Failures.MarkCommandBegun();
        console.Results.WriteLine($"recording {options.Recording} (not StarCraft II) at {new GameAddress(options.Listen, server.Port).Api}, on port {server.Port}");
        await UntilEndedAsync(server.Ended, stopped);
        await console.DrainAsync();
        console.Results.WriteLine($"{server.Totals}");
    }

    private static ConnectionAdmission CreateAdmission(GameApiOptions options)
    {
        var usual = new AdmissionLimits();
        var limits = usual with
        {
            Connections = options.MostConnections ?? usual.Connections,
            ConnectionsPerAddress = options.MostConnectionsPerAddress,
        };
        var admission = limits.Problem is { } problem
            ? throw new CommandException(problem)
            : new ConnectionAdmission(limits);
        admission.Noticed += Console.Error.WriteLine;
        Printing.PrintIgnored(options.Ignored, Create());
        return admission;
    }

    private static async Task UntilEndedAsync(Task ended, CancellationToken stopped)
    {
        try
        {
            await ended.WaitAsync(stopped);
        }
        catch (OperationCanceledException)
        {
            // An interrupt by the user is the normal end.
        }
    }
}
