using System.Net.Sockets;

namespace Sc2Bridge.GameApi;

/// <summary>
/// The bytes to and from a game, under its WebSocket. Once the connection is open, who reads waits for bytes on its own
/// thread: an answer then wakes the thread that goes on with it, and no other between.
/// </summary>
/// <param name="socket">Connected; taken over.</param>
internal sealed class GameStream(Socket socket) : NetworkStream(socket, ownsSocket: true)
{
    private volatile bool _readsBlock;

    /// <summary>From the next read on, who reads is held until bytes are there: to be read on a thread of its own.</summary>
    public void BlockReads() => _readsBlock = true;

    /// <summary>Waits on the calling thread, which is there for that and nothing else; throws what it failed with.</summary>
    internal static void Wait(ValueTask done)
    {
        if (done.IsCompleted)
        {
            done.GetAwaiter().GetResult();
        }
        else
        {
            done.AsTask().GetAwaiter().GetResult();
        }
    }

    /// <inheritdoc cref="Wait(ValueTask)"/>
    internal static T Wait<T>(ValueTask<T> done) =>
        done.IsCompleted ? done.GetAwaiter().GetResult() : done.AsTask().GetAwaiter().GetResult();

    /// <inheritdoc/>
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        _readsBlock ? new ValueTask<int>(Read(buffer.Span)) : base.ReadAsync(buffer, cancellationToken);

    /// <inheritdoc/>
    public override int Read(Span<byte> buffer)
    {
        // Not the receiving alone: as writes may wait without a thread, the runtime would wait for bytes by way of its
        // thread for all sockets. There is no deadline here: what watches for the game's silence ends the wait.
        Socket.Poll(Timeout.InfiniteTimeSpan, SelectMode.SelectRead);
        return base.Read(buffer);
    }
}
