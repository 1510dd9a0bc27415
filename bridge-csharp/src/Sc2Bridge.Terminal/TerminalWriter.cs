namespace Sc2Bridge.Terminal;

/// <summary>
/// A terminal that may be closed while the program still ends: what cannot be written then is dropped. Thread-safe as
/// what <see cref="Console"/> makes of it.
/// </summary>
internal sealed class TerminalWriter(TextWriter terminal) : TextWriter
{
    /// <inheritdoc/>
    public override System.Text.Encoding Encoding => terminal.Encoding;

    /// <summary>Puts it in the place of the terminal that is written to, where there is one.</summary>
    public static void Set()
    {
        if (!Console.IsOutputRedirected)
        {
            Console.SetOut(new TerminalWriter(Console.Out));
        }

        if (!Console.IsErrorRedirected)
        {
            Console.SetError(new TerminalWriter(Console.Error));
        }
    }

    /// <inheritdoc/>
    public override void Write(char value) => Try(() => terminal.Write(value));

    /// <inheritdoc/>
    public override void Write(char[] buffer, int index, int count) => Try(() => terminal.Write(buffer, index, count));

    /// <inheritdoc/>
    public override void Write(string? value) => Try(() => terminal.Write(value));

    /// <inheritdoc/>
    public override void WriteLine(string? value) => Try(() => terminal.WriteLine(value));

    /// <inheritdoc/>
    public override void Flush() => Try(terminal.Flush);

    private static void Try(Action write)
    {
        try
        {
            write();
        }
        catch (IOException)
        {
            // It is gone: EIO, see write(2).
        }
    }
}
