using System.Net.WebSockets;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Writes to one client; messages come from several tasks, and a socket takes one at a time.</summary>
/// <param name="socket">Its owner disposes it.</param>
/// <param name="link">What it has not sent yet; null if that is unknown.</param>
internal sealed class FoxgloveSocket(WebSocket socket, SendBacklog? link) : ClientWriter(socket.Abort)
{
    private readonly ClientSocket _socket = new(socket);

    /// <summary>Waits until what was written has left this machine; returns at once if that is unknown.</summary>
    /// <param name="subscription">Whose messages they are.</param>
    /// <param name="ct">Gives up.</param>
    public ValueTask ClearAsync(Subscription subscription, CancellationToken ct) =>
        link is null ? ValueTask.CompletedTask : link.ClearAsync(link.Sent, subscription, ct);

    /// <summary>Writes a text message; nothing where the socket was closed before.</summary>
    /// <exception cref="PeerGoneException">The connection is gone.</exception>
    public Task SendTextAsync(ReadOnlyMemory<byte> utf8) => SendAsync(default, utf8, WebSocketMessageType.Text);

    /// <summary>Writes a binary message.</summary>
    /// <exception cref="PeerGoneException">The connection is gone.</exception>
    public Task SendBinaryAsync(ReadOnlyMemory<byte> message) => SendAsync(default, message, WebSocketMessageType.Binary);

    /// <summary>Writes a channel's message.</summary>
    /// <param name="subscription">The client's number.</param>
    /// <param name="timeNs">The message's time.</param>
    /// <param name="message">It.</param>
    /// <exception cref="PeerGoneException">The connection is gone.</exception>
    public Task SendMessageAsync(uint subscription, ulong timeNs, ReadOnlyMemory<byte> message)
    {
        var head = new byte[ServerMessage.MessageHeadLength];
        ServerMessage.WriteMessageHead(head, subscription, timeNs);
        return SendAsync(head, message, WebSocketMessageType.Binary);
    }

    /// <summary>Tells the person in front of the client what it does not get.</summary>
    /// <param name="message">One clear line.</param>
    public Task WarnAsync(string message) => SendTextAsync(ServerMessage.Status(StatusLevel.Error, message));

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
        static one => one.Socket.SendAsync(one.Head, one.Body, one.Type)).AsTask();
}
