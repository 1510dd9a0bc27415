using System.Runtime.InteropServices;

namespace Sc2Bridge.Terminal;

/// <summary>
/// Handles the signals INT (Ctrl-C), TERM (from a service manager) and HUP (a closed terminal, unless HUP is ignored, as after
/// <c>nohup</c>). The first signal cancels the command, which then ends by itself. If the command takes long to end, a line
/// tells the user that another Ctrl-C exits at once. Further signals before that line have no effect: a user may press Ctrl-C
/// twice, and a script may forward a signal that the terminal has also sent.
/// </summary>
public static class SignalHandler
{
    // Agents may take 20 s to exit, and a game needs more time after that.
    private static readonly TimeSpan ExitDeadline = TimeSpan.FromSeconds(60);

    // All signals within this time after the first signal count as one signal. Most commands end within this time.
    private static readonly TimeSpan SinglePressTime = TimeSpan.FromSeconds(1);

    // Windows ends a process 5 s after the user has closed its window, so the handler waits a little less.
    private static readonly TimeSpan ClosedWindowDelay = TimeSpan.FromSeconds(4.5);

    // The handlers stay until the process ends, so that a signal during the exit has no effect.
    private static readonly CancellationTokenSource StopSource = new();
    private static readonly TaskCompletionSource SecondCtrlC = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private static readonly PosixSignalRegistration[] Signals =
    [
        PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal),
        PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal),
        PosixSignalRegistration.Create(PosixSignal.SIGHUP, OnSignal),
    ];

    private static volatile bool _mayAbort;

    /// <summary>Runs a command that signals can stop.</summary>
    /// <param name="command">The command.</param>
    /// <returns>
    /// The exit code of the command. If the command did not end in time after a signal, or if another Ctrl-C ended the command, the
    /// code is 130. The child processes of the command are then killed, because this process exits.
    /// </returns>
    public static async Task<int> RunStoppableAsync(Func<CancellationToken, Task<int>> command)
    {
        GC.KeepAlive(Signals);
        var running = Task.Run(() => command(StopSource.Token));
        if (await WaitForAbortReasonAsync(running) is not { } why)
        {
            return await running;
        }

        // Writing may block if no program reads the output (.NET has one lock for output and errors). The process must exit
        // even if the write blocks.
        await Task.WhenAny(
            Task.Run(() =>
            {
                Console.Error.WriteLine(
                    $"sc2bridge: {why}: the programs that this command had started are killed, an open recording ends at its last "
                    + "complete chunk, and the summary may be missing");

                TerminalConsole.RestoreCursor();

                // Killing child processes causes more errors, which do not help the user.
                Console.SetError(TextWriter.Null);
            }),
            Task.Delay(SinglePressTime));
        return Failures.Interrupted;
    }

    /// <summary>
    /// From now on, the command also stops when standard input ends, which happens when the program that started the command is killed.
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
                // An input that cannot be read counts as ended.
            }

            _ = StopSource.CancelAsync();
        })
        { IsBackground = true, Name = "standard input" }.Start();

    private static void OnSignal(PosixSignalContext signal)
    {
        signal.Cancel = true;
        if (_mayAbort && signal.Signal == PosixSignal.SIGINT)
        {
            SecondCtrlC.TrySetResult();
        }

        _ = StopSource.CancelAsync();
        if (OperatingSystem.IsWindows() && signal.Signal == PosixSignal.SIGHUP)
        {
            // Windows ends the process as soon as this method returns.
            Thread.Sleep(ClosedWindowDelay);
        }
    }

    // Returns why the command is aborted; null if the command ended by itself.
    private static async Task<string?> WaitForAbortReasonAsync(Task running)
    {
        var stopRequested = Task.Delay(Timeout.Infinite, StopSource.Token);
        if (await Task.WhenAny(running, stopRequested) == running
            || await Task.WhenAny(running, Task.Delay(SinglePressTime)) == running)
        {
            return null;
        }

        _mayAbort = true;
        _ = Task.Run(() => Printing.PrintMessage("stopping; press Ctrl-C again to exit at once"));
        var deadline = Task.Delay(ExitDeadline - SinglePressTime);
        var finished = await Task.WhenAny(running, SecondCtrlC.Task, deadline);
        return finished == running ? null
            : finished == deadline ? $"stopped, but did not end within {ExitDeadline.TotalSeconds:0} s"
            : "stopped at once by another Ctrl-C";
    }
}
