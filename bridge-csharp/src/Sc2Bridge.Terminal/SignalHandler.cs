using System.Runtime.InteropServices;

namespace Sc2Bridge.Terminal;

/// <summary>
/// Ctrl-C, the TERM of a service manager, and the HUP of a terminal that is closed (where it is not ignored, as after
/// <c>nohup</c>): what runs is stopped, and ends properly by itself. Where that takes long a line says that another
/// Ctrl-C cuts it short. Before that line they may come often: a person presses Ctrl-C twice,
/// and a script that is stopped hands on what the terminal has sent already.
/// </summary>
public static class SignalHandler
{
    // Agents may take 20 s to leave, and a game some more to end.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    // How long all that comes counts as the first, and most endings take.
    private static readonly TimeSpan OnePress = TimeSpan.FromSeconds(1);

    // Windows ends a process 5 s after its window was closed.
    private static readonly TimeSpan ClosedWindow = TimeSpan.FromSeconds(4.5);

    // For the process's life: one that comes while it ends is to change nothing either.
    private static readonly CancellationTokenSource Asked = new();
    private static readonly TaskCompletionSource AskedAgain = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private static readonly PosixSignalRegistration[] Signals =
    [
        PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop),
        PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop),
        PosixSignalRegistration.Create(PosixSignal.SIGHUP, Stop),
    ];

    private static volatile bool _mayBeCut;

    /// <summary>Runs a command that is stopped by them.</summary>
    /// <param name="command">It.</param>
    /// <returns>
    /// Its exit code; 130 where it was stopped and does not end, or is cut short: what it started is killed then, as
    /// this process exits.
    /// </returns>
    public static async Task<int> StopsAsync(Func<CancellationToken, Task<int>> command)
    {
        GC.KeepAlive(Signals);
        var running = Task.Run(() => command(Asked.Token));
        if (await CutAsync(running) is not { } why)
        {
            return await running;
        }

        // An output that nobody takes holds nothing up (one lock of .NET's is for output and errors): the process exits
        // all the same.
        await Task.WhenAny(
            Task.Run(() =>
            {
                Console.Error.WriteLine(
                    $"sc2bridge: {why}: what it had started is killed, a recording that was still open ends at its last "
                    + "whole chunk, and a summary may be missing");

                TerminalConsole.Restore();

                // Errors that follow from killing are not worth reading.
                Console.SetError(TextWriter.Null);
            }),
            Task.Delay(OnePress));
        return Failures.Interrupted;
    }

    /// <summary>
    /// From now on the end of standard input stops it as well: for a program that starts this one and may be gone without a word.
    /// </summary>
    public static void StopAtInputEnd() =>
        new Thread(() =>
        {
            try
            {
                using var input = Console.OpenStandardInput();
                var ignored = new byte[256];
                while (input.Read(ignored) > 0)
                {
                }
            }
            catch (IOException)
            {
                // Broken is ended too.
            }

            _ = Asked.CancelAsync();
        })
        { IsBackground = true, Name = "standard input" }.Start();

    private static void Stop(PosixSignalContext signal)
    {
        signal.Cancel = true;
        if (_mayBeCut && signal.Signal == PosixSignal.SIGINT)
        {
            AskedAgain.TrySetResult();
        }

        _ = Asked.CancelAsync();
        if (OperatingSystem.IsWindows() && signal.Signal == PosixSignal.SIGHUP)
        {
            // It ends the process as soon as this returns.
            Thread.Sleep(ClosedWindow);
        }
    }

    // Why a command is cut off; null where it ends by itself.
    private static async Task<string?> CutAsync(Task running)
    {
        var asked = Task.Delay(Timeout.Infinite, Asked.Token);
        if (await Task.WhenAny(running, asked) == running
            || await Task.WhenAny(running, Task.Delay(OnePress)) == running)
        {
            return null;
        }

        _mayBeCut = true;
        _ = Task.Run(() => Printing.PrintMessage("stopping; another Ctrl-C cuts it short"));
        var late = Task.Delay(Patience - OnePress);
        var first = await Task.WhenAny(running, AskedAgain.Task, late);
        return first == running ? null
            : first == late ? $"stopped, but not ended within {Patience.TotalSeconds:0} s: cut off"
            : "cut short by another Ctrl-C";
    }
}
