using System.Runtime.InteropServices;
using System.Text;
using Spectre.Console;

namespace Sc2Bridge.Terminal;

/// <summary>Creates the consoles for results and for messages, and checks whether keys can be read.</summary>
public static class Consoles
{
    // This width is larger than any table.
    private const int UnlimitedWidth = 4096;

    /// <summary>Creates the console of standard output, for results. Without a terminal, it prints no colours, and tables have their full width.</summary>
    public static TerminalConsole CreateForOutput() => Create(new AnsiConsoleOutput(Console.Out), Console.IsOutputRedirected);

    /// <summary>Creates the console of standard error, for messages. Standard error can be a terminal even if the results go to a file.</summary>
    public static TerminalConsole CreateForError() => Create(new ErrorOutput(), Console.IsErrorRedirected);

    /// <summary>Whether the program may read keys. A shell suspends a background job that reads keys.</summary>
    public static bool CanReadKeys() =>
        !Console.IsInputRedirected && (OperatingSystem.IsWindows() || ForegroundGroup(0) == OwnGroup());

    private static TerminalConsole Create(IAnsiConsoleOutput output, bool isRedirected)
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
            console.Profile.Width = UnlimitedWidth;
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
    private static extern int Ioctl(int terminal, nuint request, out WindowSize size);

    // See ioctl_tty(2).
    [StructLayout(LayoutKind.Sequential)]
    private struct WindowSize
    {
        public ushort Rows;
        public ushort Columns;
        public ushort Width;
        public ushort Height;
    }

    // Reads the size of the terminal of standard error. .NET reads the size of standard output, which may be a file.
    private sealed class ErrorOutput : IAnsiConsoleOutput
    {
        private const int StandardError = 2;
        private const nuint GetWindowSize = 0x5413;
        private readonly AnsiConsoleOutput _output = new(Console.Error);

        public TextWriter Writer => _output.Writer;

        public bool IsTerminal => _output.IsTerminal;

        public int Width => Size() is { Columns: > 0 } size ? size.Columns : _output.Width;

        public int Height => Size() is { Rows: > 0 } size ? size.Rows : _output.Height;

        public void SetEncoding(Encoding encoding) => _output.SetEncoding(encoding);

        private static WindowSize Size() =>
            OperatingSystem.IsLinux() && Ioctl(StandardError, GetWindowSize, out var size) == 0 ? size : default;
    }
}
