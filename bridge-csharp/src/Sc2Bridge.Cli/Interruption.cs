using System.Runtime.InteropServices;

namespace Sc2Bridge.Cli;

/// <summary>
/// Ctrl-C, and the TERM of a service manager: what runs is stopped, and ends properly by itself. They may come often: a
/// person presses Ctrl-C twice, and a script that is stopped hands on what the terminal has sent already.
/// </summary>
internal static class Interruption
{
    // Agents may take 20 s to leave, and a game some more to end.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    // For the process's life: one that comes while it ends is to change nothing either.
    private static readonly CancellationTokenSource Asked = new();
    private static readonly PosixSignalRegistration[] Signals =
    [
        PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop),
        PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop),
    ];

    /// <summary>Runs a command that is stopped by them.</summary>
    /// <param name="command">It.</param>
    /// <returns>Its exit code; 130 where it was stopped and does not end.</returns>
    internal static async Task<int> StopsAsync(Func<CancellationToken, Task<int>> command)
    {
        GC.KeepAlive(Signals);
        var running = Task.Run(() => command(Asked.Token));
        if (await Task.WhenAny(running, TooLateAsync()) == running)
        {
            return await running;
        }

        await Console.Error.WriteLineAsync(
            $"sc2bridge: stopped, but not ended within {Patience.TotalSeconds:0} s: cut off");
        return Failures.Interrupted;
    }

    private static void Stop(PosixSignalContext signal)
    {
        signal.Cancel = true;
        _ = Asked.CancelAsync();
    }

    private static async Task TooLateAsync()
    {
        await Task.Delay(Timeout.Infinite, Asked.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.Delay(Patience);
    }
}
