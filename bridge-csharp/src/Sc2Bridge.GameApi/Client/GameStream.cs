using System.Net.Sockets;

namespace Sc2Bridge.GameApi;

/// <summary>
/// The bytes to and from a game, under its WebSocket. Once the connection is open, who reads waits for bytes on its own
/// thread: an answer then wakes the thread that goes on with it, and no other between.
/// </summary>
/// <param name="socket">Connected; taken over.</param>
internal sealed class GameStream(Socket socket) : DuplexStream
{
    private volatile bool _readsBlock;

    /// <summary>From the next read on, who reads is held until bytes are there: to be read on a thread of its own.</summary>
    public void BlockReads() => _readsBlock = true;

    /// <inheritdoc/>
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        _readsBlock
            ? new ValueTask<int>(Read(buffer.Span))
            : socket.ReceiveAsync(buffer, SocketFlags.None, cancellationToken);

    /// <inheritdoc/>
    public override int Read(Span<byte> buffer)
    {
        try
        {
            // Not Receive alone: as writes may wait without a thread, the runtime would wait for bytes by way of its
            // thread for all sockets. There is no deadline here: what watches for the game's silence ends the wait.
            socket.Poll(Timeout.InfiniteTimeSpan, SelectMode.SelectRead);
            return socket.Receive(buffer);
        }
        catch (SocketException broken)
        {
            throw new IOException(broken.Message, broken);
        }
    }

    /// <inheritdoc/>
    public override async ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        try
        {
            while (!buffer.IsEmpty)
            {
                buffer = buffer[await socket.SendAsync(buffer, SocketFlags.None, cancellationToken)..];
            }
        }
        catch (SocketException broken)
        {
            throw new IOException(broken.Message, broken);
        }
    }

    /// <inheritdoc/>
    public override void Flush()
    {
        // Nothing is held back.
    }

    /// <summary>Closes the connection; who reads is let go.</summary>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            try
            {
                socket.Shutdown(SocketShutdown.Both);
            }
            catch (Exception gone) when (gone is SocketException or ObjectDisposedException)
            {
                // The other side was quicker, or it is the second time.
            }

            socket.Dispose();
        }

        base.Dispose(disposing);
    }
}
