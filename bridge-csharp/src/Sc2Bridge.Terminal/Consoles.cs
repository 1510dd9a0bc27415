using System.Runtime.InteropServices;
using System.Text;
using Spectre.Console;

namespace Sc2Bridge.Terminal;

/// <summary>The terminal: where results, and everything else, are printed, and keys come from.</summary>
public static class Consoles
{
    // Wider than any table.
    private const int Unbroken = 4096;

    /// <summary>Standard output, for results; without a terminal: no colours, and tables as wide as they are.</summary>
    public static TerminalConsole Make() => Make(new AnsiConsoleOutput(Console.Out), Console.IsOutputRedirected);

    /// <summary>Standard error, for everything else. It is a terminal even if the results go to a file.</summary>
    public static TerminalConsole MakeForError() => Make(new ErrorOutput(), Console.IsErrorRedirected);

    /// <summary>Whether a terminal's keys come to this program: in a shell's background it would be stopped.</summary>
    public static bool HasKeys() =>
        !Console.IsInputRedirected && (OperatingSystem.IsWindows() || ForegroundGroup(0) == OwnGroup());

    private static TerminalConsole Make(IAnsiConsoleOutput output, bool isRedirected)
    {
        var console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = isRedirected ? AnsiSupport.No : AnsiSupport.Detect,
            ColorSystem = isRedirected || !Printing.HasColors ? ColorSystemSupport.NoColors : ColorSystemSupport.Detect,
            Interactive = isRedirected ? InteractionSupport.No : InteractionSupport.Detect,
            Out = output,
        });
        if (isRedirected)
        {
            console.Profile.Width = Unbroken;
        }

        return new TerminalConsole(console);
    }

    [DllImport("libc", EntryPoint = "tcgetpgrp", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int ForegroundGroup(int terminal);

    [DllImport("libc", EntryPoint = "getpgrp", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int OwnGroup();

    [DllImport("libc", EntryPoint = "ioctl", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Control(int terminal, nuint request, out WindowSize size);

    // See ioctl_tty(2).
    [StructLayout(LayoutKind.Sequential)]
    private struct WindowSize
    {
        public ushort Rows;
        public ushort Columns;
        public ushort Width;
        public ushort Height;
    }

    // .NET asks standard output for the size, which may be a file.
    private sealed class ErrorOutput : IAnsiConsoleOutput
    {
        private const int StandardError = 2;
        private const nuint GetWindowSize = 0x5413;
        private readonly AnsiConsoleOutput _usual = new(Console.Error);

        public TextWriter Writer => _usual.Writer;

        public bool IsTerminal => _usual.IsTerminal;

        public int Width => Size() is { Columns: > 0 } size ? size.Columns : _usual.Width;

        public int Height => Size() is { Rows: > 0 } size ? size.Rows : _usual.Height;

        public void SetEncoding(Encoding encoding) => _usual.SetEncoding(encoding);

        private static WindowSize Size() =>
            OperatingSystem.IsLinux() && Control(StandardError, GetWindowSize, out var size) == 0 ? size : default;
    }
}
