using Sc2Bridge.Streaming;

namespace Sc2Bridge.Terminal;

/// <summary>
/// Standard output or error. <see cref="WriteLine(string?)"/> escapes its text, so that it stays one line. If the terminal is closed before
/// the program ends, text is dropped. Thread-safe through <see cref="Console"/>.
/// </summary>
public sealed class TerminalWriter : TextWriter
{
    private readonly TextWriter _output;
    private readonly bool _isTerminal;

    private TerminalWriter(TextWriter output, bool isTerminal) => (_output, _isTerminal) = (output, isTerminal);

    /// <inheritdoc/>
    public override System.Text.Encoding Encoding => _output.Encoding;

    /// <summary>Replaces the program's output and error. Call it before anything is printed.</summary>
    public static void Set()
    {
        Console.SetOut(new TerminalWriter(Console.Out, !Console.IsOutputRedirected));
        Console.SetError(new TerminalWriter(Console.Error, !Console.IsErrorRedirected));
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
        catch (IOException) when (_isTerminal)
        {
            // It is gone: EIO, see write(2).
        }
    }
}
