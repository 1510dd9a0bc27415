using System.Net.WebSockets;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Writes to one client. Several tasks send messages, but the socket accepts one message at a time.</summary>
/// <param name="socket">The client's socket. The caller disposes it.</param>
/// <param name="backlog">The connection's unsent bytes; null if unknown.</param>
internal sealed class FoxgloveSocket(WebSocket socket, SendBacklog? backlog) : ClientWriter(socket.Abort)
{
    private readonly ClientSocket _socket = new(socket);

    /// <summary>Waits until the written bytes have left this machine. Returns at once if the connection's unsent bytes are unknown.</summary>
    /// <param name="subscription">The subscription of the messages.</param>
    /// <param name="ct">Cancels the wait.</param>
    public ValueTask WaitUntilSentAsync(Subscription subscription, CancellationToken ct) =>
        backlog is null ? ValueTask.CompletedTask : backlog.WaitUntilSentAsync(backlog.WrittenBytes, subscription, ct);

    /// <summary>Writes a text message. Writes nothing if the socket was closed before.</summary>
    /// <exception cref="PeerGoneException">The connection is lost.</exception>
    public Task SendTextAsync(ReadOnlyMemory<byte> utf8) => SendAsync(default, utf8, WebSocketMessageType.Text);

    /// <summary>Writes a binary message.</summary>
    /// <exception cref="PeerGoneException">The connection is lost.</exception>
    public Task SendBinaryAsync(ReadOnlyMemory<byte> message) => SendAsync(default, message, WebSocketMessageType.Binary);

    /// <summary>Writes a channel's message.</summary>
    /// <param name="subscription">The client's subscription number.</param>
    /// <param name="timeNs">The message's time in nanoseconds.</param>
    /// <param name="message">The message.</param>
    /// <exception cref="PeerGoneException">The connection is lost.</exception>
    public Task SendMessageAsync(uint subscription, ulong timeNs, ReadOnlyMemory<byte> message)
    {
        var head = new byte[ServerMessage.MessageHeadLength];
        ServerMessage.WriteMessageHead(head, subscription, timeNs);
        return SendAsync(head, message, WebSocketMessageType.Binary);
    }

    /// <summary>Shows the client's user why a request failed.</summary>
    /// <param name="message">The reason, as one line.</param>
    public Task SendErrorAsync(string message) => SendTextAsync(ServerMessage.Status(StatusLevel.Error, message));

    /// <inheritdoc/>
    protected override async ValueTask WriteCloseAsync(PlayResponse? error, string reason)
    {
        if (error is not null)
        {
            await _socket.SendAsync(default, ServerMessage.Status(StatusLevel.Error, reason), WebSocketMessageType.Text);
        }

        await _socket.CloseAsync(error?.Error.Code, reason);
    }

    private Task SendAsync(ReadOnlyMemory<byte> head, ReadOnlyMemory<byte> body, WebSocketMessageType type) => WriteAsync(
        (Socket: _socket, Head: head, Body: body, Type: type),
        static write => write.Socket.SendAsync(write.Head, write.Body, write.Type)).AsTask();
}
