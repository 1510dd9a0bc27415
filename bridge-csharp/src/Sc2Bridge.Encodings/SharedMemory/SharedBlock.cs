using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.SharedMemory;

/// <summary>Bytes in a segment of shared memory. The bytes do not change while the block has references. Thread-safe.</summary>
public sealed class SharedBlock : IScarce
{
    private readonly SharedSegment _segment;
    private readonly int _sizeLog;
    private int _references = 1;

    internal SharedBlock(SharedSegment segment, long offset, int length, int sizeLog) =>
        (_segment, Offset, Length, _sizeLog) = (segment, offset, length, sizeLog);

    /// <summary>The position in the segment.</summary>
    public long Offset { get; }

    /// <summary>The number of bytes; 0 if the segment had no room.</summary>
    public int Length { get; }

    /// <inheritdoc/>
    public int Capacity => Length;

    /// <inheritdoc/>
    public void Retain() => ObjectDisposedException.ThrowIf(!TryRetain(), this);

    /// <inheritdoc/>
    public bool TryRetain()
    {
        var references = Volatile.Read(ref _references);
        while (references > 0)
        {
            var before = Interlocked.CompareExchange(ref _references, references + 1, references);
            if (before == references)
            {
                return true;
            }

            references = before;
        }

        return false;
    }

    /// <inheritdoc/>
    public void Release()
    {
        var remaining = Interlocked.Decrement(ref _references);
        ObjectDisposedException.ThrowIf(remaining < 0, this);
        if (remaining == 0 && _sizeLog > 0)
        {
            _segment.Free(Offset, _sizeLog);
        }
    }
}
