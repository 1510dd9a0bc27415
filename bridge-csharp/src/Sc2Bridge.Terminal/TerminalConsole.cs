using Sc2Bridge.Streaming;
using Spectre.Console;

namespace Sc2Bridge.Terminal;

/// <summary>Prints lines and tables. Control characters in text from files, games and peers are escaped. The program's own colours are kept.</summary>
/// <param name="console">The console that prints.</param>
#pragma warning disable CA1001 // The semaphore has no wait handle, so it needs no disposal.
public sealed class TerminalConsole(IAnsiConsole console)
#pragma warning restore CA1001
{
    private static readonly TimeSpan _refreshInterval = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan _lineInterval = TimeSpan.FromSeconds(10);

    // This field is static, because a process has only one terminal.
    private static volatile bool _hidesCursor;

    // Spectre.Console acquires the same two locks to print a line and to change the rows, but in a different order. Without _printLock, this could
    // deadlock. A line that is printed while the rows are removed would also leave rows on the screen.
    private readonly SemaphoreSlim _printLock = new(1);

    /// <summary>Prints one line.</summary>
    public void WriteLine(string line = "")
    {
        _printLock.Wait();
        try
        {
            console.WriteLine(PlainText.Escape(line));
        }
        finally
        {
            _printLock.Release();
        }
    }

    /// <summary>Prints a table.</summary>
    public void Write(TextTable table) => console.Write(table);

    /// <summary>
    /// Shows progress until <paramref name="ended"/> is cancelled. On a terminal, the rows change in place and are removed at the end.
    /// Without a terminal, a line is printed every ten seconds.
    /// </summary>
    /// <param name="rows">Returns the rows to show. The argument is the number of rows that fit on the terminal.</param>
    /// <param name="time">The clock.</param>
    /// <param name="ended">Ends the display.</param>
    public async Task ShowProgressAsync(Func<int, IReadOnlyList<ProgressRow>> rows, TimeProvider time, CancellationToken ended)
    {
        ArgumentNullException.ThrowIfNull(rows);
        if (Printing.IsQuiet)
        {
            return;
        }

        if (console is not { Profile: { Out.IsTerminal: true, Capabilities: { Interactive: true, Ansi: true } } })
        {
            while (await WaitAsync(_lineInterval, time, ended))
            {
                WriteLine(ProgressRow.JoinAsLine(rows(int.MaxValue)));
            }

            return;
        }

        _hidesCursor = true;
        await _printLock.WaitAsync(CancellationToken.None);
        try
        {
            await console.Live(Now()).AutoClear(true).StartAsync(async live =>
            {
                while (await WaitUnlockedAsync())
                {
                    live.UpdateTarget(Now());
                }
            });
        }
        finally
        {
            _printLock.Release();
        }

        _hidesCursor = false;

        // Releases the lock during the wait, so that other threads can print lines.
        async Task<bool> WaitUnlockedAsync()
        {
            _printLock.Release();
            var goesOn = await WaitAsync(_refreshInterval, time, ended);
            await _printLock.WaitAsync(CancellationToken.None);
            return goesOn;
        }

        // One row stays free for the input of the user.
        ProgressRow.Block Now() => new(rows(Math.Max(2, console.Profile.Height - 1)));
    }

    /// <summary>Shows the cursor again if the program ends while progress is shown.</summary>
    internal static void RestoreCursor()
    {
        if (_hidesCursor)
        {
            Console.Error.Write("\e[?25h");
        }
    }

    // Returns false if the display was cancelled.
    private static async Task<bool> WaitAsync(TimeSpan period, TimeProvider time, CancellationToken ended)
    {
        await Task.Delay(period, time, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return !ended.IsCancellationRequested;
    }
}
