using Sc2Bridge.Streaming;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Sc2Bridge.Terminal;

/// <summary>Where lines and tables for people go. Text of files, games and peers is escaped; colours of our own are not.</summary>
/// <param name="console">Prints them.</param>
public sealed class TerminalConsole(IAnsiConsole console)
{
    /// <summary>Whether a table can be shown that changes in place.</summary>
    public bool HasLiveTables => IsInteractive && console.Profile.Out.IsTerminal;

    /// <summary>Whether lines must go through this console to stand above such a table.</summary>
    public bool IsInteractive => console.Profile.Capabilities.Interactive;

    /// <summary>Prints one line.</summary>
    public void WriteLine(string line = "") => console.WriteLine(PlainText.Escape(line));

    /// <summary>Prints a table.</summary>
    public void Write(TextTable table) => console.Write(table);

    /// <summary>Shows what changes in place. Its text must be escaped.</summary>
    public LiveDisplay Live(IRenderable first) => console.Live(first);
}
