using System.Buffers;
using System.Text;

namespace Sc2Bridge.Encoding;

/// <summary>Turns the many small pieces of a text into UTF-8, without a string of the whole.</summary>
internal sealed class Utf8TextWriter(IBufferWriter<byte> output) : TextWriter
{
    private const int Size = 4096;
    private readonly char[] _characters = ArrayPool<char>.Shared.Rent(Size);
    private readonly Encoder _encoder = System.Text.Encoding.UTF8.GetEncoder();
    private int _count;
    private bool _disposed;

    public override System.Text.Encoding Encoding => System.Text.Encoding.UTF8;

    public override void Write(char value)
    {
        if (_count == _characters.Length)
        {
            WriteOut(last: false);
        }

        _characters[_count++] = value;
    }

    public override void Write(string? value) => Write(value.AsSpan());

    public override void Write(char[] buffer, int index, int count) => Write(buffer.AsSpan(index, count));

    public override void Write(ReadOnlySpan<char> buffer)
    {
        while (!buffer.IsEmpty)
        {
            if (_count == _characters.Length)
            {
                WriteOut(last: false);
            }

            var taken = Math.Min(buffer.Length, _characters.Length - _count);
            buffer[..taken].CopyTo(_characters.AsSpan(_count));
            _count += taken;
            buffer = buffer[taken..];
        }
    }

    public override void Flush() => WriteOut(last: false);

    protected override void Dispose(bool disposing)
    {
        if (disposing && !_disposed)
        {
            _disposed = true;
            WriteOut(last: true);
            ArrayPool<char>.Shared.Return(_characters);
        }

        base.Dispose(disposing);
    }

    // The encoder keeps the first half of a surrogate pair that a piece ends with.
    private void WriteOut(bool last)
    {
        var characters = _characters.AsSpan(0, _count);
        var span = output.GetSpan(System.Text.Encoding.UTF8.GetMaxByteCount(_count));
        output.Advance(_encoder.GetBytes(characters, span, last));
        _count = 0;
    }
}
