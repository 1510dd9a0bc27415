namespace Sc2Bridge.Recordings.Mcap;

/// <summary>Reads small pieces of a file in ascending order, through a buffer of at least 8 KiB. Not thread-safe.</summary>
internal sealed class ByteWindow(IRecordingBytes bytes)
{
    private const int ReadAheadBytes = 8 << 10;

    private byte[] _window = new byte[ReadAheadBytes];
    private long _start;
    private int _length;

    /// <summary>A piece of the file. Valid until the next call.</summary>
    /// <param name="offset">The position in the file.</param>
    /// <param name="count">The number of bytes. The file must contain all of them.</param>
    public ReadOnlySpan<byte> ReadAt(long offset, int count)
    {
        if (offset < _start || offset + count > _start + _length)
        {
            _length = 0;
            var size = (int)Math.Max(count, Math.Min(ReadAheadBytes, bytes.Length - offset));
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
