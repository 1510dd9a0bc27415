using System.Buffers;
using System.Net.WebSockets;

namespace Sc2Bridge.Protocol;

/// <summary>Puts a peer's messages together, up to a bound; for one reader at a time.</summary>
/// <param name="socket">Its owner disposes it.</param>
/// <param name="longest">The longest message to take, in bytes.</param>
/// <param name="mayHold">
/// Whether so many bytes may be held of a message that is not whole yet; called with 0 when nothing is. Null: they may.
/// </param>
public sealed class WebSocketMessageReader(WebSocket socket, int longest, Func<long, bool>? mayHold = null)
{
    private const int ReadSize = 4096;
    private const int MostKept = 64 << 10;

    private ArrayBufferWriter<byte> _message = new(ReadSize);

    /// <summary>The message that was received last; until the next read.</summary>
    public ReadOnlyMemory<byte> Message => _message.WrittenMemory;

    /// <summary>Receives one message.</summary>
    /// <param name="ct">Gives up, and breaks the connection.</param>
    /// <returns>Its kind; null where it is longer than the bounds allow: only <see cref="SkipToCloseAsync"/> makes sense then.</returns>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    public async ValueTask<WebSocketMessageType?> ReadAsync(CancellationToken ct)
    {
        if (_message.Capacity > MostKept)
        {
            // One long message must not hold its megabytes for as long as the connection lasts.
            _message = new(ReadSize);
        }

        _message.ResetWrittenCount();
        while (true)
        {
            var received = await socket.ReceiveAsync(_message.GetMemory(ReadSize), ct).ConfigureAwait(false);
            _message.Advance(received.Count);
            if (_message.WrittenCount > longest)
            {
                return null;
            }

            if (received.EndOfMessage || received.MessageType == WebSocketMessageType.Close)
            {
                mayHold?.Invoke(0);
                return received.MessageType;
            }

            if (mayHold?.Invoke(_message.WrittenCount) == false)
            {
                return null;
            }
        }
    }

    /// <summary>Reads on until the peer closes, keeping nothing.</summary>
    /// <param name="ct">Gives up, and breaks the connection.</param>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    public async Task SkipToCloseAsync(CancellationToken ct)
    {
        var rest = new byte[ReadSize];
        while ((await socket.ReceiveAsync(rest.AsMemory(), ct).ConfigureAwait(false)).MessageType
            != WebSocketMessageType.Close)
        {
        }
    }
}
