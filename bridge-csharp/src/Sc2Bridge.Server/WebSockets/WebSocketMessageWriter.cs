using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// Writes to one client. Frames and answers come from two tasks and a socket takes one message at a time: a semaphore,
/// which costs neither an allocation nor a change of thread while it is uncontended.
/// </summary>
internal sealed class WebSocketMessageWriter(WebSocket socket, SubProtocol form, SendBacklog? link) : IDisposable
{
    private readonly SemaphoreSlim _turn = new(1, 1);
    private Timer? _patience;
    private bool _closed;

    /// <summary>True from the first <see cref="CloseAsync"/> on.</summary>
    public bool IsClosing => Volatile.Read(ref _patience) is not null;

    /// <summary>Waits until what was written has left this machine; returns at once where that is unknown.</summary>
    /// <param name="subscription">Whose messages they are.</param>
    /// <param name="ct">Gives up.</param>
    public ValueTask ClearAsync(Subscription subscription, CancellationToken ct) =>
        link is null ? ValueTask.CompletedTask : link.ClearAsync(link.Sent, subscription, ct);

    /// <summary>Writes a message that is serialized already; in two frames where it has a head of its own.</summary>
    /// <param name="message">Its bytes.</param>
    /// <param name="isCompressed">Whether permessage-deflate would gain nothing by them.</param>
    /// <returns>False where the socket was closed before, and nothing was written.</returns>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> SendAsync(MessageSegments message, bool isCompressed)
    {
        await _turn.WaitAsync();
        try
        {
            if (_closed)
            {
                return false;
            }

            // No token: with one the socket takes a slower path. A write that must end is ended by Abort.
            var flags = isCompressed ? WebSocketMessageFlags.DisableCompression : WebSocketMessageFlags.None;
            if (!message.Head.IsEmpty)
            {
                await socket.SendAsync(message.Head, form.MessageType, flags, CancellationToken.None);
            }

            flags |= WebSocketMessageFlags.EndOfMessage;
            await socket.SendAsync(message.Body, form.MessageType, flags, CancellationToken.None);
            return true;
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <summary>Writes an event.</summary>
    /// <param name="message">Called when it is this message's turn, so that a clock in it is read then.</param>
    /// <returns>False where the socket was closed before, and nothing was written.</returns>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    public async ValueTask<bool> SendAsync(Func<Event> message)
    {
        await _turn.WaitAsync();
        try
        {
            if (_closed)
            {
                return false;
            }

            await SendInTurnAsync(message());
            return true;
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <summary>
    /// Writes the last event, where there is one, and closes this direction; only the first call does anything.
    /// </summary>
    /// <param name="last">Null: none.</param>
    /// <param name="status">The close's code.</param>
    /// <param name="reason">Shortened where it is longer than a close can hold.</param>
    /// <param name="patience">How long, from now, the client has to read that and close too; then it is cut off.</param>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    public async Task CloseAsync(Event? last, WebSocketCloseStatus status, string reason, TimeSpan patience)
    {
        StartPatience(patience);
        await _turn.WaitAsync();
        try
        {
            if (_closed)
            {
                return;
            }

            if (last is not null)
            {
                await SendInTurnAsync(last);
            }

            _closed = true;
            if (socket.State is WebSocketState.Open or WebSocketState.CloseReceived)
            {
                await socket.CloseOutputAsync(status, WebSocketEnd.Reason(reason), CancellationToken.None);
            }
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _patience?.Dispose();
        _turn.Dispose();
    }

    private async ValueTask SendInTurnAsync(Event message)
    {
        var buffer = MessageBuffer.Rent();
        try
        {
            form.Write(message, buffer);
            await socket.SendAsync(buffer.Written, form.MessageType, endOfMessage: true, CancellationToken.None);
        }
        finally
        {
            buffer.Release();
        }
    }

    private void StartPatience(TimeSpan patience)
    {
        var timer = new Timer(static socket => ((WebSocket)socket!).Abort(), socket, patience, Timeout.InfiniteTimeSpan);
        if (Interlocked.CompareExchange(ref _patience, timer, null) is not null)
        {
            timer.Dispose();
        }
    }
}
