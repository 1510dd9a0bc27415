using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Server;

/// <summary>A client's WebSocket. If the connection is lost, reading and writing throw <see cref="PeerGoneException"/>.</summary>
/// <param name="socket">The caller disposes it.</param>
internal sealed class ClientSocket(WebSocket socket)
{
    /// <summary>Writes one message.</summary>
    /// <param name="head">The first bytes.</param>
    /// <param name="body">The remaining bytes.</param>
    /// <param name="type">Text or binary.</param>
    /// <param name="isCompressed">Whether the message is already compressed.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask SendAsync(
        ReadOnlyMemory<byte> head, ReadOnlyMemory<byte> body, WebSocketMessageType type, bool isCompressed = false)
    {
        try
        {
            // Passes no cancellation token, because with a token the socket uses a slower path. Abort ends a pending write.
            var flags = isCompressed ? WebSocketMessageFlags.DisableCompression : WebSocketMessageFlags.None;
            if (!head.IsEmpty)
            {
                await socket.SendAsync(head, type, flags, CancellationToken.None);
            }

            await socket.SendAsync(body, type, flags | WebSocketMessageFlags.EndOfMessage, CancellationToken.None);
        }
        catch (Exception gone) when (WebSocketEnd.MeansClosed(gone))
        {
            throw new PeerGoneException(gone);
        }
    }

    /// <summary>Reads the next message.</summary>
    /// <param name="reader">Reads the socket. After the call, the reader contains the message.</param>
    /// <param name="isClosed">Whether the bridge has sent its close. If true, the client's messages are skipped up to the client's close.</param>
    /// <returns>As in <see cref="WebSocketMessageReader.ReadAsync"/>.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<WebSocketMessageType?> ReceiveAsync(WebSocketMessageReader reader, bool isClosed)
    {
        try
        {
            if (!isClosed)
            {
                return await reader.ReadAsync(CancellationToken.None);
            }

            await reader.SkipToCloseAsync(CancellationToken.None);
            return WebSocketMessageType.Close;
        }
        catch (Exception gone) when (WebSocketEnd.MeansClosed(gone))
        {
            throw new PeerGoneException(gone);
        }
    }

    /// <summary>Closes the bridge's direction.</summary>
    /// <param name="code">
    /// The gRPC status code of an error; the close status is 4000 plus this code. Null if the session ends normally.
    /// </param>
    /// <param name="reason">The reason in words.</param>
    public ValueTask CloseAsync(uint? code, string reason) =>
        CloseAsync(code is null ? WebSocketCloseStatus.NormalClosure : (WebSocketCloseStatus)(4000 + code), reason);

    /// <summary>Closes the bridge's direction with a status that the WebSocket protocol defines.</summary>
    public async ValueTask CloseAsync(WebSocketCloseStatus status, string reason)
    {
        try
        {
            if (socket.State is WebSocketState.Open or WebSocketState.CloseReceived)
            {
                await socket.CloseOutputAsync(status, WebSocketEnd.ShortenReason(reason), CancellationToken.None);
            }
        }
        catch (Exception gone) when (WebSocketEnd.MeansClosed(gone))
        {
            throw new PeerGoneException(gone);
        }
    }
}
