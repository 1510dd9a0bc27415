namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// Compresses consecutive contents in groups. Each group is one zstd stream that is flushed after each content. A content therefore takes
/// few more bytes than its differences from earlier contents. Groups are reused, so that nothing is allocated for most contents. One thread
/// at a time adds contents; any thread releases blocks.
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
    /// Compresses a content as the next block. Starts a new group if the last group is full, or if this content and the previous content
    /// together are larger than the zstd window.
    /// </summary>
    /// <returns>The block, which the caller must release.</returns>
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

            var block = group.NextBlock();
            block.Begin(content.Length);
            _zstd.Flush(content, block.Buffer);
            group.CommitNext();
            group.Retain();
            _lastLength = content.Length;
            return block;
        }
        catch
        {
            // The stream may contain a part of the content, so the next content starts a new group.
            EndGroup();
            throw;
        }
    }

    /// <summary>Frees the stream's memory. Blocks with references stay valid.</summary>
    public void Dispose()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        EndGroup();
        Interlocked.Exchange(ref _spare, null)?.FreeMemory();
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
            group.FreeMemory();
        }
        else if (_disposed)
        {
            // Dispose was called after the first check.
            Interlocked.Exchange(ref _spare, null)?.FreeMemory();
        }
    }
}
