using System.Runtime.InteropServices;
using Spectre.Console;

namespace Sc2Bridge.Terminal;

/// <summary>The terminal: where tables are printed, and keys come from.</summary>
public static class Consoles
{
    // Wider than any table.
    private const int Unbroken = 4096;

    /// <summary>The terminal; where there is none: no colours, and tables as wide as they are.</summary>
    public static TerminalConsole Make()
    {
        if (!Console.IsOutputRedirected)
        {
            return new TerminalConsole(AnsiConsole.Console);
        }

        var console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.No,
            ColorSystem = ColorSystemSupport.NoColors,
            Interactive = InteractionSupport.No,
        });
        console.Profile.Width = Unbroken;
        return new TerminalConsole(console);
    }

    /// <summary>Whether a terminal's keys come to this program: in a shell's background it would be stopped.</summary>
    public static bool HasKeys() =>
        !Console.IsInputRedirected && (OperatingSystem.IsWindows() || ForegroundGroup(0) == OwnGroup());

    [DllImport("libc", EntryPoint = "tcgetpgrp", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int ForegroundGroup(int terminal);

    [DllImport("libc", EntryPoint = "getpgrp", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int OwnGroup();
}
