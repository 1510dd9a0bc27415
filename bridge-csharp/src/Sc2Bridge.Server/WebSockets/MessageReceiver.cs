using System.Buffers;
using System.Net.WebSockets;
using Socket = System.Net.WebSockets.WebSocket;

namespace Sc2Bridge.Server;

/// <summary>Puts a client's messages together, up to a bound.</summary>
internal sealed class MessageReceiver(Socket socket, int longest) : IDisposable
{
    private const int UsualSize = 4096;
    private byte[] _buffer = ArrayPool<byte>.Shared.Rent(UsualSize);
    private int _length;

    /// <summary>The message that <see cref="ReceiveAsync"/> received last; until it is called again.</summary>
    public ReadOnlySpan<byte> Message => _buffer.AsSpan(0, _length);

    /// <summary>Receives one message.</summary>
    /// <returns>Its kind; null where it is longer than the bound; only <see cref="SkipToCloseAsync"/> makes sense then.</returns>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    public async ValueTask<WebSocketMessageType?> ReceiveAsync()
    {
        Shrink();
        _length = 0;
        while (true)
        {
            if (_length == _buffer.Length && !Grow())
            {
                return null;
            }

            var received = await socket.ReceiveAsync(_buffer.AsMemory(_length), CancellationToken.None);
            _length += received.Count;
            if (_length > longest)
            {
                return null;
            }

            if (received.EndOfMessage || received.MessageType == WebSocketMessageType.Close)
            {
                return received.MessageType;
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = [];
    }

    /// <summary>Reads on until the client closes, keeping nothing.</summary>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    public async Task SkipToCloseAsync()
    {
        while ((await socket.ReceiveAsync(_buffer.AsMemory(), CancellationToken.None)).MessageType
            != WebSocketMessageType.Close)
        {
        }
    }

    // A message of exactly the bound's length still needs a last, empty read in some framings, hence one byte more.
    private bool Grow()
    {
        if (_length > longest)
        {
            return false;
        }

        var larger = ArrayPool<byte>.Shared.Rent(Math.Min(_buffer.Length * 2, longest + 1));
        _buffer.AsSpan(0, _length).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = larger;
        return true;
    }

    // One long message must not hold its megabytes for the rest of the match.
    private void Shrink()
    {
        if (_buffer.Length > UsualSize * 16)
        {
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = ArrayPool<byte>.Shared.Rent(UsualSize);
        }
    }
}
