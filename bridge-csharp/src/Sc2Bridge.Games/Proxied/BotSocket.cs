using System.Net.WebSockets;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// The WebSocket of a <see cref="BotConnection"/>. Reads and sends whole messages, and closes in a way that lets the bot read the reason.
/// </summary>
/// <param name="socket">The socket. Its owner disposes it.</param>
internal sealed class BotSocket(WebSocket socket) : IDisposable
{
    private const int LargestRequest = 64 * 1024 * 1024;

    private static readonly TimeSpan _closePatience = TimeSpan.FromSeconds(2);
    private readonly WebSocketMessageReader _reader = new(socket, LargestRequest);
    private readonly CancellationTokenSource _closing = new();
    private long _sendingSinceNs;
    private int _closed;

    /// <summary>Cancelled two seconds after the bridge has sent its close message.</summary>
    public CancellationToken Closing => _closing.Token;

    /// <summary>Whether the bridge has sent its close message.</summary>
    public bool IsClosed => Volatile.Read(ref _closed) == 1;

    /// <summary>When the bridge began to send the current message, in nanoseconds of <see cref="MonotonicClock"/>; 0 if no message is being sent.</summary>
    public long SendingSinceNs => Volatile.Read(ref _sendingSinceNs);

    /// <summary>The message that was read last. It is valid until the next read.</summary>
    public ReadOnlyMemory<byte> Message => _reader.Message;

    /// <summary>Reads a message.</summary>
    /// <param name="ct">Cancels the read, which breaks the connection.</param>
    /// <returns>
    /// Null if a message was read. An empty text if the bot closed its connection or the connection broke. Otherwise the bot's
    /// mistake, as the end of the sentence "the bot …". After a mistake, the bridge has sent a close message.
    /// </returns>
    public async Task<string?> ReceiveAsync(CancellationToken ct)
    {
        try
        {
            switch (await _reader.ReadAsync(ct).ConfigureAwait(false))
            {
                case WebSocketMessageType.Close:
                    return "";
                case null:
                    await CloseAsync(WebSocketCloseStatus.MessageTooBig, "request too large").ConfigureAwait(false);
                    return $"sent a request of more than {LargestRequest >> 20} MiB";
                default:
                    return null;
            }
        }
        catch (Exception gone) when (WebSocketEnd.MeansClosed(gone))
        {
            return "";
        }
    }

    /// <summary>
    /// Sends a message. The caller may reuse the buffer when the send is complete. If the bot has disconnected, the message is
    /// lost, and the next read reports the disconnection.
    /// </summary>
    public async ValueTask SendAsync(ReadOnlyMemory<byte> bytes)
    {
        Volatile.Write(ref _sendingSinceNs, MonotonicClock.NowNs);
        try
        {
            await socket.SendAsync(bytes, WebSocketMessageType.Binary, endOfMessage: true, CancellationToken.None)
                .ConfigureAwait(false);
        }
        catch (Exception gone) when (WebSocketEnd.MeansClosed(gone))
        {
        }

        Volatile.Write(ref _sendingSinceNs, 0);
    }

    /// <summary>Sends a close message. Further calls send nothing.</summary>
    /// <param name="status">The reason as a number.</param>
    /// <param name="why">The reason as text.</param>
    public async Task CloseAsync(WebSocketCloseStatus status, string why)
    {
        if (Interlocked.Exchange(ref _closed, 1) == 1)
        {
            return;
        }

        using var patience = new CancellationTokenSource(_closePatience);
        try
        {
            if (socket.State is WebSocketState.Open or WebSocketState.CloseReceived)
            {
                await socket.CloseOutputAsync(status, WebSocketEnd.ShortenReason(why), patience.Token).ConfigureAwait(false);
            }

            // The bot needs time to read the close message and to answer it.
            _closing.CancelAfter(_closePatience);
        }
        catch (Exception gone) when (WebSocketEnd.MeansClosed(gone))
        {
            // The bot disconnected first, or it does not read the message that is being sent.
            socket.Abort();
        }
    }

    /// <summary>Reads and drops the bot's messages until the bot's own close message. Call <see cref="CloseAsync"/> first.</summary>
    public async Task DrainAsync(CancellationToken ct)
    {
        var dropped = new byte[4096];
        try
        {
            while (socket.State == WebSocketState.CloseSent)
            {
                await socket.ReceiveAsync(dropped.AsMemory(), ct).ConfigureAwait(false);
            }
        }
        catch (Exception gone) when (WebSocketEnd.MeansClosed(gone))
        {
        }
    }

    /// <summary>Ends the connection at once, without a close message.</summary>
    public void Abort() => socket.Abort();

    /// <inheritdoc/>
    public void Dispose() => _closing.Dispose();
}
