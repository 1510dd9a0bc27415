using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Writes the protocol's messages to one client.</summary>
internal sealed class WebSocketMessageWriter(WebSocket socket, SubProtocol form, SendBacklog? link) : WebSocketWriter(socket, link)
{
    /// <summary>Writes a message that is serialized already; in two frames where it has a head of its own.</summary>
    /// <param name="message">Its bytes.</param>
    /// <param name="isCompressed">Whether permessage-deflate would gain nothing by them.</param>
    /// <returns>False where the socket was closed before, and nothing was written.</returns>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> SendAsync(MessageSegments message, bool isCompressed)
    {
        await BeginWriteAsync();
        try
        {
            if (IsClosed)
            {
                return false;
            }

            // No token: with one the socket takes a slower path. A write that must end is ended by Abort.
            var flags = isCompressed ? WebSocketMessageFlags.DisableCompression : WebSocketMessageFlags.None;
            if (!message.Head.IsEmpty)
            {
                await Socket.SendAsync(message.Head, form.MessageType, flags, CancellationToken.None);
            }

            flags |= WebSocketMessageFlags.EndOfMessage;
            await Socket.SendAsync(message.Body, form.MessageType, flags, CancellationToken.None);
            return true;
        }
        finally
        {
            EndWrite();
        }
    }

    /// <summary>Writes an event.</summary>
    /// <param name="message">Called when it is this message's turn, so that a clock in it is read then.</param>
    /// <returns>False where the socket was closed before, and nothing was written.</returns>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    public async ValueTask<bool> SendAsync(Func<PlayResponse> message)
    {
        await BeginWriteAsync();
        try
        {
            if (IsClosed)
            {
                return false;
            }

            await SendInTurnAsync(message());
            return true;
        }
        finally
        {
            EndWrite();
        }
    }

    /// <summary>Writes the last event, where there is one, and closes this direction.</summary>
    /// <param name="last">Null: none.</param>
    /// <param name="status">The close's code.</param>
    /// <param name="reason">Why.</param>
    /// <param name="patience">How long the client may take to close too.</param>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    public Task CloseAsync(PlayResponse? last, WebSocketCloseStatus status, string reason, TimeSpan patience) =>
        CloseAsync(last is null ? null : () => SendInTurnAsync(last), status, reason, patience);

    private async ValueTask SendInTurnAsync(PlayResponse message)
    {
        var buffer = MessageBuffer.Rent();
        try
        {
            form.Write(message, buffer);
            await Socket.SendAsync(buffer.Written, form.MessageType, endOfMessage: true, CancellationToken.None);
        }
        finally
        {
            buffer.Release();
        }
    }
}
