using System.CommandLine;
using System.Runtime.InteropServices;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Cli;

/// <summary><c>sc2bridge simulate</c>: the simulated game alone, with the arguments that the real one gets.</summary>
internal static class SimulateCommand
{
    /// <summary>The command for <c>--help</c>; its arguments are the game's, read by <see cref="RunAsync"/>.</summary>
    internal static Command Create()
    {
        var arguments = new Argument<string[]>("arguments")
        {
            Description = "-listen HOST -port PORT -tempDir DIR as the real game takes them (its other flags are "
                + "ignored); -replays DIR is where replays are found by name; -endQuirks says what it does oddly at a "
                + "match's end; -observations DIR answers with the observation files of a folder, in order, "
                + "and -observationsRepeat begins again after the last; -quitWhenAlone ends it with its client",
            Arity = ArgumentArity.ZeroOrMore,
        };
        var command = new Command("simulate", "Runs the simulated game alone, as a game process.") { arguments };
        command.SetAction((parsed, _) => RunAsync(parsed.GetValue(arguments) ?? []));
        return command;
    }

    /// <summary>Runs until the game is told to quit, or is interrupted.</summary>
    internal static Task<int> RunAsync(string[] arguments)
    {
        return Failures.ReportAsync(async () =>
        {
            using var stopped = new CancellationTokenSource();
            using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
            using var terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
            await using var server = await StartAsync(arguments, stopped.Token);
            Console.WriteLine($"simulated game (not StarCraft II) on port {server.Port}");
            try
            {
                await server.Ended.WaitAsync(stopped.Token);
            }
            catch (OperationCanceledException)
            {
                // Interrupted: the way a person ends it.
            }
            catch (SimulatedGameException failure)
            {
                await Console.Error.WriteLineAsync(failure.InnerException?.ToString());
                throw new CommandException(failure.Message, failure);
            }

            return 0;

            void Stop(PosixSignalContext context)
            {
                context.Cancel = true;
                stopped.Cancel();
            }
        });
    }

    private static async Task<SimulatedGameServer> StartAsync(string[] arguments, CancellationToken stopped)
    {
        try
        {
            return await SimulatedGameServer.StartAsync(SimulatorOptions.Parse(arguments), stopped);
        }
        catch (ArgumentException error)
        {
            throw new CommandException(error.Message, error);
        }
    }
}
