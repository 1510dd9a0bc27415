using System.CommandLine;
using Sc2Bridge.Admission;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>
/// <c>sc2bridge simulate</c>: a game process with the arguments that the real one gets: the simulated game, or a
/// recording that is played to the client that connects.
/// </summary>
internal static class SimulateCommand
{
    /// <summary>The command for <c>--help</c>; its arguments are the game's, read by <see cref="RunAsync"/>.</summary>
    internal static DocumentedCommand Create()
    {
        var arguments = new Argument<string[]>("arguments")
        {
            Description = "-listen HOST -port PORT as the real game takes them (its other flags, with one "
                + "dash, are ignored); -replays DIR is the folder of replays; -allowHostIp HOST is a host_ip that clients may join "
                + "with, beside loopback; -endQuirks says what it does oddly at a "
                + "match's end; -baseBuild N and -dataVersion V are the versions that it says it has; "
                + "-observations DIR answers with the observation files of a folder, in order, and "
                + "-observationsRepeat begins again after the last; -quitWhenAlone ends it with its client; "
                + "--patch-day SEED answers as a new version of the game might; "
                + "--recording FILE plays a recorded match in place of the simulated game, whatever its client orders: "
                + "--actions FILE keeps those orders beside the recorded player's, and --strict refuses to answer from "
                + "the map's grids what was not asked when it was recorded; --max-connections N, "
                + "--max-connections-per-address N, --allow-host NAME and --allow-origin ORIGIN say who may connect",
            Arity = ArgumentArity.ZeroOrMore,
        };
        var command = new DocumentedCommand("simulate", "Runs the simulated game, or a recording, alone, as a game process.");
        command.Add(arguments);
        command.SetAction((parsed, stopped) => RunAsync(parsed.GetValue(arguments) ?? [], stopped));
        return command;
    }

    /// <summary>Runs until the game is told to quit, or is interrupted.</summary>
    internal static Task<int> RunAsync(string[] arguments, CancellationToken stopped) =>
        Failures.ReportAsync(async () =>
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
        using var admission = Admit(options);
        await using var server = await SimulatedGameServer.StartAsync(options, admission, stopped);
        Console.WriteLine($"simulated game (not StarCraft II) on port {server.Port}");
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
        var console = new SessionConsole();
        using var admission = Admit(options);
        await using var server = await RecordedGameServer.StartAsync(
            options with { Admission = admission }, console.Say, stopped);
        console.Results.WriteLine($"recording {options.Recording} (not StarCraft II) on port {server.Port}");
        await UntilEndedAsync(server.Ended, stopped);
        await console.EndAsync();
        console.Results.WriteLine($"{server.Totals}");
    }

    private static ConnectionAdmission Admit(GameApiOptions options)
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
            // Interrupted: the way a person ends it.
        }
    }
}
