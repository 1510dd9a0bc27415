using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>
/// An unbounded channel that counts the bytes in it: the runtime's bounded one counts items, and those here are between
/// a hundred bytes and a mebibyte. Any thread writes, one reads.
/// </summary>
/// <typeparam name="T">What waits.</typeparam>
/// <param name="memory">Charged with it; null: nothing is.</param>
internal sealed class ByteBoundedChannel<T>(MemoryLedger? memory)
{
    private readonly Channel<(T Item, int Bytes)> _channel =
        Channel.CreateUnbounded<(T, int)>(new UnboundedChannelOptions { SingleReader = true });

    private long _waiting;

    /// <summary>The bytes that were written and not yet <see cref="Remove">removed</see>.</summary>
    internal long Waiting => Interlocked.Read(ref _waiting);

    /// <summary>Writes an item.</summary>
    /// <param name="item">What.</param>
    /// <param name="bytes">How many it counts.</param>
    /// <param name="mostBytes">How many may wait with it; null for any number.</param>
    /// <returns>False where there is no room, or nothing is taken any more: the item is the caller's still.</returns>
    internal bool TryWrite(T item, int bytes, long? mostBytes = null)
    {
        memory?.Add(MemoryAccount.Recorder, bytes);
        if (Interlocked.Add(ref _waiting, bytes) <= (mostBytes ?? long.MaxValue)
            && _channel.Writer.TryWrite((item, bytes)))
        {
            return true;
        }

        Remove(bytes);
        return false;
    }

    /// <summary>The oldest item, which counts until it is <see cref="Remove">removed</see>.</summary>
    internal bool TryRead([MaybeNullWhen(false)] out T item, out int bytes)
    {
        var there = _channel.Reader.TryRead(out var next);
        (item, bytes) = next;
        return there;
    }

    /// <summary>Holds the thread until there is something to read.</summary>
    /// <returns>False where nothing comes any more.</returns>
    internal bool WaitToRead() => _channel.Reader.WaitToReadAsync().AsTask().GetAwaiter().GetResult();

    /// <summary>An item that was read counts no more.</summary>
    internal void Remove(int bytes)
    {
        memory?.Add(MemoryAccount.Recorder, -bytes);
        Interlocked.Add(ref _waiting, -bytes);
    }

    /// <summary>Nothing more is taken; what waits can be read.</summary>
    internal void Complete() => _channel.Writer.TryComplete();
}
