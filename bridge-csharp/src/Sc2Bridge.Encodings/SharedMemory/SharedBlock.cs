using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.SharedMemory;

/// <summary>Bytes in a segment, which stay as they are while somebody holds them. Thread-safe.</summary>
public sealed class SharedBlock : IScarce
{
    private readonly SharedSegment _segment;
    private readonly int _log;
    private int _references = 1;

    internal SharedBlock(SharedSegment segment, long offset, int length, int log) =>
        (_segment, Offset, Length, _log) = (segment, offset, length, log);

    /// <summary>Where they begin.</summary>
    public long Offset { get; }

    /// <summary>How many; 0 where there was no room for them.</summary>
    public int Length { get; }

    /// <inheritdoc/>
    public int Capacity => Length;

    /// <inheritdoc/>
    public void Retain() => ObjectDisposedException.ThrowIf(!TryRetain(), this);

    /// <inheritdoc/>
    public bool TryRetain()
    {
        var held = Volatile.Read(ref _references);
        while (held > 0)
        {
            var before = Interlocked.CompareExchange(ref _references, held + 1, held);
            if (before == held)
            {
                return true;
            }

            held = before;
        }

        return false;
    }

    /// <inheritdoc/>
    public void Release()
    {
        var left = Interlocked.Decrement(ref _references);
        ObjectDisposedException.ThrowIf(left < 0, this);
        if (left == 0 && _log > 0)
        {
            _segment.Free(Offset, _log);
        }
    }
}
