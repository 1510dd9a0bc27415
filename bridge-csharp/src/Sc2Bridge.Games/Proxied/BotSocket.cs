using System.Net.WebSockets;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// The socket under a <see cref="BotConnection"/>: whole messages in and out, and a close that the bot gets to read.
/// </summary>
/// <param name="socket">Its owner disposes it.</param>
internal sealed class BotSocket(WebSocket socket) : IDisposable
{
    private const int LargestRequest = 64 * 1024 * 1024;

    private static readonly TimeSpan _closePatience = TimeSpan.FromSeconds(2);
    private readonly WebSocketMessageReader _reader = new(socket, LargestRequest);
    private readonly CancellationTokenSource _closing = new();
    private long _sendingSinceNs;
    private int _closed;

    /// <summary>Cancelled a while after the bridge has sent its close.</summary>
    public CancellationToken Closing => _closing.Token;

    /// <summary>Whether the bridge has sent its close.</summary>
    public bool IsClosed => Volatile.Read(ref _closed) == 1;

    /// <summary>Since when the bot has been read nothing of what is sent; 0 where nothing is being sent.</summary>
    public long SendingSinceNs => Volatile.Read(ref _sendingSinceNs);

    /// <summary>The message that was read last; until the next read.</summary>
    public ReadOnlyMemory<byte> Message => _reader.Message;

    /// <summary>Reads a message.</summary>
    /// <param name="ct">Gives up, and breaks the connection.</param>
    /// <returns>
    /// Null if a message was read, empty if the bot closed its connection or the connection broke; else what it did, as
    /// the end of the sentence "the bot …", and it was sent a close.
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
        catch (Exception gone) when (WebSocketEnd.Is(gone))
        {
            return "";
        }
    }

    /// <summary>
    /// Sends a message, whose buffer may be reused when this is done. One to a bot that is gone is lost: the next read
    /// reports that.
    /// </summary>
    public async ValueTask SendAsync(ReadOnlyMemory<byte> bytes)
    {
        Volatile.Write(ref _sendingSinceNs, MonotonicClock.NowNs);
        try
        {
            await socket.SendAsync(bytes, WebSocketMessageType.Binary, endOfMessage: true, CancellationToken.None)
                .ConfigureAwait(false);
        }
        catch (Exception gone) when (WebSocketEnd.Is(gone))
        {
        }

        Volatile.Write(ref _sendingSinceNs, 0);
    }

    /// <summary>Sends a close, once; the first reason counts.</summary>
    /// <param name="status">Why, as a number.</param>
    /// <param name="why">Why, in words.</param>
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
                await socket.CloseOutputAsync(status, WebSocketEnd.Reason(why), patience.Token).ConfigureAwait(false);
            }

            // The bot is to read it, and answers with its own close: cut off at once, it might not.
            _closing.CancelAfter(_closePatience);
        }
        catch (Exception gone) when (WebSocketEnd.Is(gone))
        {
            // It went first, or is being written to and does not read.
            socket.Abort();
        }
    }

    /// <summary>After the close was sent: reads what the bot still sends, up to its own close.</summary>
    public async Task DrainAsync(CancellationToken ct)
    {
        var rest = new byte[4096];
        try
        {
            while (socket.State == WebSocketState.CloseSent)
            {
                await socket.ReceiveAsync(rest.AsMemory(), ct).ConfigureAwait(false);
            }
        }
        catch (Exception gone) when (WebSocketEnd.Is(gone))
        {
        }
    }

    /// <summary>Cuts the connection.</summary>
    public void Abort() => socket.Abort();

    /// <inheritdoc/>
    public void Dispose() => _closing.Dispose();
}
