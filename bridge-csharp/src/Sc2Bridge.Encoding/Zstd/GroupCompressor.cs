namespace Sc2Bridge.Encoding.Zstd;

/// <summary>
/// Compresses contents one after the other into groups: each once, whoever hears it. Nothing is allocated in steady
/// state: a group that nobody needs any more is used again. One thread at a time adds; blocks are released on any.
/// </summary>
public sealed class GroupCompressor : IDisposable
{
    // Places remembered, half of what level 1 takes by itself: a step comes when the processor's caches have forgotten
    // the table, so that a small one (32 KiB) is faster; a large one gains a fiftieth of the bytes.
    private const int HashLog = 13;

    private static long _lastNumber;

    private readonly ZstdCompressor _zstd = new();
    private Group? _current;
    private Group? _spare;
    private volatile bool _disposed;

    /// <summary>Compresses a content as the next block, in a new group where the last one is full.</summary>
    /// <returns>The block, held once by the caller.</returns>
    /// <exception cref="ZstdException">libzstd refused; the next content begins a group.</exception>
    public GroupBlock Add(ReadOnlySpan<byte> content)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_current is { IsFull: true })
        {
            EndGroup();
        }

        var group = _current ??= BeginGroup(content.Length);
        var block = group.Next();
        try
        {
            block.Begin(content.Length);
            _zstd.Flush(content, block.Buffer);
        }
        catch
        {
            // The stream holds half of it.
            EndGroup();
            throw;
        }

        group.Added();
        group.Retain();
        return block;
    }

    /// <summary>A content is about to come: see <see cref="ZstdCompressor.WarmUp"/>.</summary>
    public void WarmUp() => _zstd.WarmUp();

    /// <summary>Frees libzstd's memory; blocks that are still held live on.</summary>
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

    private Group BeginGroup(int contentLength)
    {
        var group = Interlocked.Exchange(ref _spare, null) ?? new Group(Free);
        group.Begin((ulong)Interlocked.Increment(ref _lastNumber), GroupLimits.WindowLogFor(contentLength));
        _zstd.Begin(group.WindowLog, HashLog);
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
