using Spectre.Console;

namespace Sc2Bridge.Cli;

/// <summary>Where tables are printed.</summary>
internal static class Consoles
{
    // Wider than any table.
    private const int Unbroken = 4096;

    /// <summary>The terminal; where there is none: no colours, and tables as wide as they are.</summary>
    internal static IAnsiConsole Make()
    {
        if (!Console.IsOutputRedirected)
        {
            return AnsiConsole.Console;
        }

        var console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.No,
            ColorSystem = ColorSystemSupport.NoColors,
            Interactive = InteractionSupport.No,
        });
        console.Profile.Width = Unbroken;
        return console;
    }
}
