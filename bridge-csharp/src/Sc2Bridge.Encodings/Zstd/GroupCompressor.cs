namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// Compresses contents one after the other into groups: each group one zstd stream that is flushed after each content, so
/// that a content takes little more than what differs from those before it. Nothing is allocated in steady state: a group
/// that nobody needs any more is used again. One thread at a time adds; blocks are released on any.
/// </summary>
public sealed class GroupCompressor : IDisposable
{
    private static long _lastNumber;

    private readonly ZstdCompressor _zstd = new();
    private int _lastLength;
    private Group? _current;
    private Group? _spare;
    private volatile bool _disposed;

    /// <summary>
    /// Compresses a content as the next block; in a new group, where the last one is full, or the window does not reach
    /// over the content and the one before it.
    /// </summary>
    /// <returns>The block, held once by the caller.</returns>
    public GroupBlock Add(ReadOnlySpan<byte> content)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        try
        {
            var group = _current;
            if (group is null || group.IsFull || (long)_lastLength + content.Length > 1 << group.WindowLog)
            {
                group = Begin(content.Length);
            }

            var block = group.Next();
            block.Begin(content.Length);
            _zstd.Flush(content, block.Buffer);
            group.Added();
            group.Retain();
            _lastLength = content.Length;
            return block;
        }
        catch
        {
            // The stream may hold half of it: the next content begins a group.
            EndGroup();
            throw;
        }
    }

    /// <summary>Frees the stream's memory; blocks that are still held live on.</summary>
    public void Dispose()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        EndGroup();
        Interlocked.Exchange(ref _spare, null)?.Drop();
        _zstd.Dispose();
    }

    private Group Begin(int contentLength)
    {
        EndGroup();
        var group = _current = Interlocked.Exchange(ref _spare, null) ?? new Group(Free);
        group.Begin((ulong)Interlocked.Increment(ref _lastNumber), GroupLimits.WindowLogFor(contentLength));
        _zstd.Begin(group.WindowLog);
        return group;
    }

    private void EndGroup()
    {
        var ended = _current;
        _current = null;
        ended?.Release();
    }

    private void Free(Group group)
    {
        if (_disposed || Interlocked.CompareExchange(ref _spare, group, null) is not null)
        {
            group.Drop();
        }
        else if (_disposed)
        {
            // Disposed meanwhile.
            Interlocked.Exchange(ref _spare, null)?.Drop();
        }
    }
}
