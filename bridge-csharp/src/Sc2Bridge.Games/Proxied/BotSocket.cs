using System.Buffers;
using System.Net.WebSockets;
using System.Text;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// The socket under a <see cref="BotConnection"/>: whole messages in and out, and a goodbye that the bot gets to read.
/// </summary>
/// <param name="socket">Its owner disposes it.</param>
internal sealed class BotSocket(WebSocket socket) : IDisposable
{
    private const int LargestRequest = 64 * 1024 * 1024;

    // RFC 6455, section 5.5: a close frame's 125 bytes, less two of its status.
    private const int LongestReason = 123;

    private static readonly TimeSpan _closePatience = TimeSpan.FromSeconds(2);
    private readonly CancellationTokenSource _closing = new();
    private long _sendingSinceNs;
    private int _closed;

    /// <summary>Cancelled a while after the bridge has said goodbye.</summary>
    public CancellationToken Closing => _closing.Token;

    /// <summary>Whether the bridge has said goodbye.</summary>
    public bool IsClosed => Volatile.Read(ref _closed) == 1;

    /// <summary>Since when the bot has been read nothing of what is sent; 0 where nothing is being sent.</summary>
    public long SendingSinceNs => Volatile.Read(ref _sendingSinceNs);

    /// <summary>Reads a message.</summary>
    /// <param name="input">Holds the message, and nothing else.</param>
    /// <param name="ct">Gives up, and breaks the connection.</param>
    /// <returns>
    /// Null where a message is there, empty where the bot closed its connection; else what it did, as the end of the
    /// sentence "the bot …", and it was told goodbye.
    /// </returns>
    /// <exception cref="WebSocketException">The connection broke.</exception>
    public async Task<string?> ReceiveAsync(ArrayBufferWriter<byte> input, CancellationToken ct)
    {
        input.ResetWrittenCount();
        while (true)
        {
            var received = await socket.ReceiveAsync(input.GetMemory(4096), ct).ConfigureAwait(false);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                return "";
            }

            input.Advance(received.Count);
            if (input.WrittenCount > LargestRequest)
            {
                await CloseAsync(WebSocketCloseStatus.MessageTooBig, "request too large").ConfigureAwait(false);
                return $"sent a request of more than {LargestRequest >> 20} MiB";
            }

            if (received.EndOfMessage)
            {
                return null;
            }
        }
    }

    /// <summary>
    /// Sends a message, which may be changed when this is done. One to a bot that has gone is lost: whoever reads hears
    /// that it has.
    /// </summary>
    public async ValueTask SendAsync(ReadOnlyMemory<byte> bytes)
    {
        Volatile.Write(ref _sendingSinceNs, MonotonicClock.NowNs);
        try
        {
            await socket.SendAsync(bytes, WebSocketMessageType.Binary, endOfMessage: true, CancellationToken.None)
                .ConfigureAwait(false);
        }
        catch (Exception gone) when (IsGone(gone))
        {
        }

        Volatile.Write(ref _sendingSinceNs, 0);
    }

    /// <summary>Says goodbye, once; the first reason counts.</summary>
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
                await socket.CloseOutputAsync(status, Shortened(why), patience.Token).ConfigureAwait(false);
            }

            // The bot is to read it, and answers with its own close: cut off at once, it might not.
            _closing.CancelAfter(_closePatience);
        }
        catch (Exception gone) when (IsGone(gone))
        {
            // It went first, or is being written to and does not read.
            socket.Abort();
        }
    }

    /// <summary>After a goodbye: reads what the bot still sends, up to its own.</summary>
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
        catch (Exception gone) when (IsGone(gone))
        {
        }
    }

    /// <summary>Cuts the connection.</summary>
    public void Abort() => socket.Abort();

    /// <inheritdoc/>
    public void Dispose() => _closing.Dispose();

    /// <summary>Whether an exception means that the connection is no more.</summary>
    public static bool IsGone(Exception failure) => failure is WebSocketException or OperationCanceledException
        or IOException or ObjectDisposedException or InvalidOperationException;

    private static string Shortened(string why)
    {
        if (System.Text.Encoding.UTF8.GetByteCount(why) <= LongestReason)
        {
            return why;
        }

        var kept = new StringBuilder();
        var bytes = 0;
        foreach (var rune in why.EnumerateRunes())
        {
            bytes += rune.Utf8SequenceLength;
            if (bytes > LongestReason - 3)
            {
                break;
            }

            kept.Append(rune);
        }

        return kept.Append("...").ToString();
    }
}
