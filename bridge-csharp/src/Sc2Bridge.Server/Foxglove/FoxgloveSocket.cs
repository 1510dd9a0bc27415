using System.Net.WebSockets;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>Writes to one client; messages come from several tasks, and a socket takes one at a time.</summary>
/// <param name="socket">Its owner disposes it.</param>
/// <param name="link">What it has not sent yet; null where that is unknown.</param>
internal sealed class FoxgloveSocket(WebSocket socket, SendBacklog? link) : ClientWriter(socket.Abort)
{
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

    /// <summary>Something went wrong: tells the client, and closes with 4000 and the code.</summary>
    /// <param name="code">A gRPC status code.</param>
    /// <param name="message">Why; made one line.</param>
    /// <param name="patience">How long the client may take to read that and to close; null: the usual time.</param>
    public Task FailAsync(uint code, string message, TimeSpan? patience = null)
    {
        var line = OneLine(message);
        return CloseAsync(
            async () =>
            {
                await WriteAsync(default, ServerMessage.Status(StatusLevel.Error, line), WebSocketMessageType.Text);
                await WebSocketChannel.CloseAsync(socket, WebSocketChannel.StatusOf(code), line);
            },
            patience ?? SessionLimits.CloseTimeout);
    }

    /// <summary>Closes this direction; only the first call does anything. Never fails.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="patience">How long the client may take to close too.</param>
    public Task CloseAsync(string reason, TimeSpan patience) =>
        CloseAsync(() => WebSocketChannel.CloseAsync(socket, WebSocketCloseStatus.NormalClosure, reason), patience);

    private async Task SendAsync(ReadOnlyMemory<byte> head, ReadOnlyMemory<byte> body, WebSocketMessageType type)
    {
        await BeginWriteAsync();
        try
        {
            if (!IsClosed)
            {
                await WriteAsync(head, body, type);
            }
        }
        finally
        {
            EndWrite();
        }
    }

    private async ValueTask WriteAsync(ReadOnlyMemory<byte> head, ReadOnlyMemory<byte> body, WebSocketMessageType type)
    {
        try
        {
            if (!head.IsEmpty)
            {
                await socket.SendAsync(head, type, endOfMessage: false, CancellationToken.None);
            }

            await socket.SendAsync(body, type, endOfMessage: true, CancellationToken.None);
        }
        catch (Exception gone) when (WebSocketEnd.Is(gone))
        {
            throw new PeerGoneException(gone);
        }
    }
}
