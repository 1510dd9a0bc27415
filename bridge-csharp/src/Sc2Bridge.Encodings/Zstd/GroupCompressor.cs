using System.Buffers;
using Sc2Bridge.Encodings.Zstd.Blocks;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// Compresses contents one after the other into groups: each once, whoever hears it. Nothing is allocated in steady
/// state: a group that nobody needs any more is used again. One thread at a time adds; blocks are released on any.
/// </summary>
public sealed class GroupCompressor : IDisposable
{
    private const int CacheLine = 64;

    // The part of a content that libzstd would make of it alone: what takes more is not like the content before it.
    private const int PartAlone = 8;
    private const int ShortestToJudge = 4096;

    private static long _lastNumber;

    private readonly ZstdCompressor _zstd = new();
    private readonly DeltaBlocks _blocks = new();
    private ReadOnlyMemory<byte> _previous;

    // Contents that do not stay, in turns.
    private (MessageBuffer Last, MessageBuffer Next)? _copies;
    private Group? _current;
    private Group? _spare;
    private volatile bool _disposed;

    /// <summary>
    /// Compresses a content as the next block: as what differs from the one before it. Or by libzstd in a new group,
    /// where the last one is full, or the content unlike the one before it, or both too long for the window.
    /// </summary>
    /// <param name="content">It stays as it is until the next call, or until this is disposed.</param>
    /// <returns>The block, held once by the caller.</returns>
    /// <exception cref="ZstdException">libzstd refused; the next content begins a group.</exception>
    public GroupBlock Add(ReadOnlyMemory<byte> content)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        try
        {
            var block = Continue(content.Span) ?? Begin(content.Span);
            _previous = content;
            return block;
        }
        catch
        {
            // The stream may hold half of it.
            EndGroup();
            throw;
        }
    }

    /// <summary>The same for a content that does not stay as it is.</summary>
    public GroupBlock AddCopy(ReadOnlySpan<byte> content)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        var (last, next) = _copies ??= (MessageBuffer.Rent(), MessageBuffer.Rent());
        next.Clear();
        next.Write(content);
        var block = Add(next.Written);
        _copies = (next, last);
        return block;
    }

    /// <summary>
    /// A content is about to come: brings the one before it back into the processor's caches, as a step comes when
    /// these have forgotten it.
    /// </summary>
    public void WarmUp()
    {
        var previous = _previous.Span;
        for (var at = 0; at < previous.Length; at += CacheLine)
        {
            _ = Volatile.Read(in previous[at]);
        }
    }

    /// <summary>Frees libzstd's memory; blocks that are still held live on.</summary>
    public void Dispose()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        _previous = default;
        _copies?.Last.Release();
        _copies?.Next.Release();
        _copies = null;
        EndGroup();
        Interlocked.Exchange(ref _spare, null)?.Drop();
        _zstd.Dispose();
    }

    // Null where it has to begin a group.
    private GroupBlock? Continue(ReadOnlySpan<byte> content)
    {
        if (_current is not { IsFull: false } group
            || _previous.IsEmpty
            || _previous.Length + content.Length > 1 << group.WindowLog)
        {
            return null;
        }

        var block = group.Next();
        block.Begin(content.Length);
        _blocks.Write(_previous.Span, content, block.Buffer);
        return content.Length < ShortestToJudge || block.Buffer.Length < content.Length / PartAlone
            ? Added(group)
            : null;
    }

    private GroupBlock Begin(ReadOnlySpan<byte> content)
    {
        EndGroup();
        var group = _current = Interlocked.Exchange(ref _spare, null) ?? new Group(Free);
        group.Begin((ulong)Interlocked.Increment(ref _lastNumber), GroupLimits.WindowLogFor(content.Length));
        _zstd.Begin(group.WindowLog);
        _blocks.Begin();
        var block = group.Next();
        block.Begin(content.Length);
        _zstd.Flush(content, block.Buffer);
        return Added(group);
    }

    private static GroupBlock Added(Group group)
    {
        var block = group.Next();
        group.Added();
        group.Retain();
        return block;
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
