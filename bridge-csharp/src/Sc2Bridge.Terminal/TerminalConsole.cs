using Sc2Bridge.Streaming;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Sc2Bridge.Terminal;

/// <summary>Where lines and tables for people go. Text of files, games and peers is escaped; colours of our own are not.</summary>
/// <param name="console">Prints them.</param>
public sealed class TerminalConsole(IAnsiConsole console)
{
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(250);

    /// <summary>Whether a table can be shown that changes in place.</summary>
    public bool HasLiveTables => IsInteractive && console.Profile.Out.IsTerminal;

    /// <summary>Whether lines must go through this console to stand above such a table.</summary>
    public bool IsInteractive => console.Profile.Capabilities.Interactive;

    /// <summary>Prints one line.</summary>
    public void WriteLine(string line = "") => console.WriteLine(PlainText.Escape(line));

    /// <summary>Prints a table.</summary>
    public void Write(TextTable table) => console.Write(table);

    /// <summary>Shows what changes in place, until it is cancelled. Its text must be escaped.</summary>
    /// <param name="show">Makes what is shown, each time.</param>
    /// <param name="clears">Whether nothing of it stays.</param>
    /// <param name="ended">Ends it.</param>
    public Task ShowAsync(Func<IRenderable> show, bool clears, CancellationToken ended) =>
        console.Live(show()).AutoClear(clears).StartAsync(async live =>
        {
            while (!ended.IsCancellationRequested)
            {
                await WaitAsync(Period, ended);
                live.UpdateTarget(show());
            }
        });

    /// <summary>Waits, until it is cancelled at most.</summary>
    public static async Task WaitAsync(TimeSpan period, CancellationToken ended) =>
        await Task.Delay(period, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
}
