using System.Runtime.InteropServices;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Terminal;

/// <summary>
/// Standard output or standard error. <see cref="WriteLine(string?)"/> escapes its text, so that the text stays one line. Messages that
/// cannot be written are dropped, because the exit code reports the failure. Results are dropped only if the terminal is closed.
/// Thread-safe through <see cref="Console"/>.
/// </summary>
public sealed class TerminalWriter : TextWriter
{
    private readonly TextWriter _output;
    private readonly bool _dropsFailedWrites;

    private TerminalWriter(TextWriter output, bool drops) => (_output, _dropsFailedWrites) = (output, drops);

    /// <inheritdoc/>
    public override System.Text.Encoding Encoding => _output.Encoding;

    /// <summary>Replaces the program's standard output and standard error. Call this method before anything is printed.</summary>
    public static void Install()
    {
        // If a standard stream is closed, the next opened file would get the number of this stream. So /dev/null is opened under this
        // number. It is opened for reading, so that writing still fails.
        for (var standard = 0; !OperatingSystem.IsWindows() && standard <= 2; standard++)
        {
            const int getFlags = 1;
            _ = Fcntl(standard, getFlags) < 0 ? Open("/dev/null", 0) : 0;
        }

        Console.SetOut(new TerminalWriter(Console.Out, !Console.IsOutputRedirected));
        Console.SetError(new TerminalWriter(Console.Error, drops: true));
    }

    /// <inheritdoc/>
    public override void Write(char value) => Try(() => _output.Write(value));

    /// <inheritdoc/>
    public override void Write(char[] buffer, int index, int count) => Try(() => _output.Write(buffer, index, count));

    /// <inheritdoc/>
    public override void Write(string? value) => Try(() => _output.Write(value));

    /// <inheritdoc/>
    public override void WriteLine(string? value) => Try(() => _output.WriteLine(PlainText.Escape(value ?? "")));

    /// <inheritdoc/>
    public override void Flush() => Try(_output.Flush);

    private void Try(Action write)
    {
        try
        {
            write();
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // Writing to a closed terminal fails with EIO (write(2)), which is ignored for messages and for results on a terminal.
            if (!_dropsFailedWrites)
            {
                throw new OutputException(error);
            }
        }
    }

    [DllImport("libc", EntryPoint = "fcntl", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Fcntl(int file, int command);

    [DllImport("libc", EntryPoint = "open", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Open([MarshalAs(UnmanagedType.LPUTF8Str)] string path, int flags);
}

/// <summary>Standard output cannot be written, so results are lost.</summary>
/// <param name="error">The cause.</param>
public sealed class OutputException(Exception error)
    : IOException($"standard output cannot be written: {(error is UnauthorizedAccessException ? "it is closed" : error.Message)}", error);
