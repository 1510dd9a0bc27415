using Sc2Bridge.Streaming;
using Spectre.Console;

namespace Sc2Bridge.Terminal;

/// <summary>Where lines and tables for people go. Text of files, games and peers is escaped; colours of our own are not.</summary>
/// <param name="console">Prints them.</param>
public sealed class TerminalConsole(IAnsiConsole console)
{
    private static readonly TimeSpan _look = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan _betweenLines = TimeSpan.FromSeconds(10);

    // A process has one terminal.
    private static volatile bool _hidesCursor;

    /// <summary>Prints one line.</summary>
    public void WriteLine(string line = "") => console.WriteLine(PlainText.Escape(line));

    /// <summary>Prints a table.</summary>
    public void Write(TextTable table) => console.Write(table);

    /// <summary>
    /// Shows how far something is, until it is cancelled. On a terminal these rows change in place, and are removed at the end. Without
    /// a terminal there is a line every ten seconds.
    /// </summary>
    /// <param name="rows">Gives what is shown, each time. The argument is how many rows fit on the terminal.</param>
    /// <param name="time">The clock.</param>
    /// <param name="ended">Ends it.</param>
    public async Task ShowAsync(Func<int, IReadOnlyList<ProgressRow>> rows, TimeProvider time, CancellationToken ended)
    {
        ArgumentNullException.ThrowIfNull(rows);
        if (Printing.IsQuiet)
        {
            return;
        }

        if (console is not { Profile: { Out.IsTerminal: true, Capabilities: { Interactive: true, Ansi: true } } })
        {
            while (await WaitAsync(_betweenLines, time, ended))
            {
                WriteLine(ProgressRow.Line(rows(int.MaxValue)));
            }

            return;
        }

        _hidesCursor = true;
        await console.Live(Now()).AutoClear(true).StartAsync(async live =>
        {
            while (await WaitAsync(_look, time, ended))
            {
                live.UpdateTarget(Now());
            }
        });
        _hidesCursor = false;

        // One row is left for what the user types.
        ProgressRow.Block Now() => new(rows(Math.Max(2, console.Profile.Height - 1)));
    }

    /// <summary>Shows the cursor again, if the program ends while something is shown.</summary>
    internal static void Restore()
    {
        if (_hidesCursor)
        {
            Console.Error.Write("\e[?25h");
        }
    }

    // False if it has ended.
    private static async Task<bool> WaitAsync(TimeSpan period, TimeProvider time, CancellationToken ended)
    {
        await Task.Delay(period, time, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return !ended.IsCancellationRequested;
    }
}
