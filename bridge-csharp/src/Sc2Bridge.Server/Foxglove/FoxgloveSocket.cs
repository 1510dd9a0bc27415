using System.Net.WebSockets;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Server;

/// <summary>Writes to one client; messages come from several tasks, and a socket takes one at a time.</summary>
/// <param name="socket">Its owner disposes it.</param>
/// <param name="link">What it has not sent yet; null where that is unknown.</param>
internal sealed class FoxgloveSocket(WebSocket socket, SendBacklog? link) : WebSocketWriter(socket, link)
{
    /// <summary>Writes a text message; nothing where the socket was closed before.</summary>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    public Task SendTextAsync(ReadOnlyMemory<byte> utf8) => SendAsync(default, utf8, WebSocketMessageType.Text);

    /// <summary>Writes a binary message.</summary>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    public Task SendBinaryAsync(ReadOnlyMemory<byte> message) => SendAsync(default, message, WebSocketMessageType.Binary);

    /// <summary>Writes a channel's message.</summary>
    /// <param name="subscription">The client's number.</param>
    /// <param name="timeNs">The message's time.</param>
    /// <param name="message">It.</param>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
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
    public Task FailAsync(uint code, string message)
    {
        var line = SessionCloser.OneLine(message);
        return CloseAsync(
            ServerMessage.Status(StatusLevel.Error, line), StatusOf(code), line, WebSocketLimits.CloseTimeout);
    }

    /// <summary>Closes this direction; only the first call does anything. Never fails.</summary>
    /// <param name="status">The close's code.</param>
    /// <param name="reason">Why.</param>
    /// <param name="patience">How long the client may take to close too.</param>
    public Task CloseAsync(WebSocketCloseStatus status, string reason, TimeSpan patience) =>
        CloseAsync((byte[]?)null, status, reason, patience);

    private async Task CloseAsync(byte[]? last, WebSocketCloseStatus status, string reason, TimeSpan patience)
    {
        try
        {
            await CloseAsync(
                last is null ? null : () => Socket.SendAsync(
                    last.AsMemory(), WebSocketMessageType.Text, endOfMessage: true, CancellationToken.None),
                status, reason, patience);
        }
        catch (Exception gone) when (WebSocketEnd.Is(gone))
        {
            // The reading task sees it too.
        }
    }

    private async Task SendAsync(ReadOnlyMemory<byte> head, ReadOnlyMemory<byte> body, WebSocketMessageType type)
    {
        await BeginWriteAsync();
        try
        {
            if (IsClosed)
            {
                return;
            }

            if (!head.IsEmpty)
            {
                await Socket.SendAsync(head, type, endOfMessage: false, CancellationToken.None);
            }

            await Socket.SendAsync(body, type, endOfMessage: true, CancellationToken.None);
        }
        finally
        {
            EndWrite();
        }
    }
}
