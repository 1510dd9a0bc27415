namespace Sc2Bridge.Recordings.Mcap;

/// <summary>Small pieces of a file in their order, read some KiB at a time. Not thread-safe.</summary>
internal sealed class ByteWindow(IRecordingBytes bytes)
{
    private const int Ahead = 8 << 10;

    private byte[] _window = new byte[Ahead];
    private long _start;
    private int _length;

    /// <summary>A piece, until the next call.</summary>
    /// <param name="offset">Where in the file.</param>
    /// <param name="count">How many bytes; they must be there.</param>
    public ReadOnlySpan<byte> At(long offset, int count)
    {
        if (offset < _start || offset + count > _start + _length)
        {
            _length = 0;
            var size = (int)Math.Max(count, Math.Min(Ahead, bytes.Length - offset));
            if (size > _window.Length)
            {
                _window = new byte[size];
            }

            bytes.Read(offset, _window.AsSpan(0, size));
            (_start, _length) = (offset, size);
        }

        return _window.AsSpan((int)(offset - _start), count);
    }
}
