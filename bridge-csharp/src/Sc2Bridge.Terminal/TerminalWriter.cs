using Sc2Bridge.Streaming;

namespace Sc2Bridge.Terminal;

/// <summary>
/// Standard output or error. What <see cref="WriteLine(string?)"/> gets becomes one line, escaped. A terminal may be closed while the
/// program still ends: text that cannot be written then is dropped. Thread-safe as <see cref="Console"/> makes it.
/// </summary>
public sealed class TerminalWriter : TextWriter
{
    private readonly TextWriter _output;
    private readonly bool _isTerminal;

    private TerminalWriter(TextWriter output, bool isTerminal) => (_output, _isTerminal) = (output, isTerminal);

    /// <inheritdoc/>
    public override System.Text.Encoding Encoding => _output.Encoding;

    /// <summary>Replaces the program's output and error: the first call of a program.</summary>
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
