using System.Buffers;
using System.Net.WebSockets;

namespace Sc2Bridge.Protocol;

/// <summary>Reads whole messages up to a length limit. Only one read may run at a time.</summary>
/// <param name="socket">The connection. The caller disposes it.</param>
/// <param name="maxMessageBytes">The length limit of a message, in bytes.</param>
/// <param name="mayBuffer">
/// Gets the length of an incomplete message (0 when it is complete), and returns whether the message may stay in memory. Null for no limit.
/// </param>
public sealed class WebSocketMessageReader(WebSocket socket, int maxMessageBytes, Func<long, bool>? mayBuffer = null)
{
    private const int ReadSize = 4096;
    private const int MaxKeptCapacity = 64 << 10;

    private ArrayBufferWriter<byte> _message = new(ReadSize);

    /// <summary>The last message. Valid until the next read.</summary>
    public ReadOnlyMemory<byte> Message => _message.WrittenMemory;

    /// <summary>Receives one message.</summary>
    /// <param name="ct">Cancels the read and breaks the connection.</param>
    /// <returns>The message's kind; null if the message is over a limit. After null, only <see cref="SkipToCloseAsync"/> may be called.</returns>
    /// <exception cref="WebSocketException">The connection is lost.</exception>
    public async ValueTask<WebSocketMessageType?> ReadAsync(CancellationToken ct)
    {
        if (_message.Capacity > MaxKeptCapacity)
        {
            // A smaller buffer: one long message must not occupy megabytes until the connection ends.
            _message = new(ReadSize);
        }

        _message.ResetWrittenCount();
        while (true)
        {
            var received = await socket.ReceiveAsync(_message.GetMemory(ReadSize), ct).ConfigureAwait(false);
            _message.Advance(received.Count);
            if (_message.WrittenCount > maxMessageBytes)
            {
                return null;
            }

            if (received.EndOfMessage || received.MessageType == WebSocketMessageType.Close)
            {
                mayBuffer?.Invoke(0);
                return received.MessageType;
            }

            if (mayBuffer?.Invoke(_message.WrittenCount) == false)
            {
                return null;
            }
        }
    }

    /// <summary>Reads and discards messages until the peer closes the connection.</summary>
    /// <param name="ct">Cancels the read and breaks the connection.</param>
    /// <exception cref="WebSocketException">The connection is lost.</exception>
    public async Task SkipToCloseAsync(CancellationToken ct)
    {
        var rest = new byte[ReadSize];
        while ((await socket.ReceiveAsync(rest.AsMemory(), ct).ConfigureAwait(false)).MessageType
            != WebSocketMessageType.Close)
        {
        }
    }
}
