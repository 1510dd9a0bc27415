using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Server;

/// <summary>
/// A client's WebSocket. If its connection is gone, reading and writing throw <see cref="PeerGoneException"/>.
/// </summary>
/// <param name="socket">Its owner disposes it.</param>
internal sealed class ClientSocket(WebSocket socket)
{
    /// <summary>Writes one message.</summary>
    /// <param name="head">Its first bytes.</param>
    /// <param name="body">All others.</param>
    /// <param name="type">Text or binary.</param>
    /// <param name="isCompressed">Whether compressing it again would gain nothing.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask SendAsync(
        ReadOnlyMemory<byte> head, ReadOnlyMemory<byte> body, WebSocketMessageType type, bool isCompressed = false)
    {
        try
        {
            // No token: with one the socket takes a slower path. A write that must end is ended by Abort.
            var flags = isCompressed ? WebSocketMessageFlags.DisableCompression : WebSocketMessageFlags.None;
            if (!head.IsEmpty)
            {
                await socket.SendAsync(head, type, flags, CancellationToken.None);
            }

            await socket.SendAsync(body, type, flags | WebSocketMessageFlags.EndOfMessage, CancellationToken.None);
        }
        catch (Exception gone) when (WebSocketEnd.Is(gone))
        {
            throw new PeerGoneException(gone);
        }
    }

    /// <summary>Reads the next message.</summary>
    /// <param name="reader">Has the message then.</param>
    /// <param name="isClosed">True: skips all messages up to the client's close.</param>
    /// <returns>As of <see cref="WebSocketMessageReader.ReadAsync"/>.</returns>
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
        catch (Exception gone) when (WebSocketEnd.Is(gone))
        {
            throw new PeerGoneException(gone);
        }
    }

    /// <summary>Closes this direction.</summary>
    /// <param name="code">The gRPC status code of an error, which becomes 4000 and the code; null: it ends well.</param>
    /// <param name="reason">Why, in words.</param>
    public ValueTask CloseAsync(uint? code, string reason) =>
        CloseAsync(code is null ? WebSocketCloseStatus.NormalClosure : (WebSocketCloseStatus)(4000 + code), reason);

    /// <summary>The same with a status of WebSocket's own.</summary>
    public async ValueTask CloseAsync(WebSocketCloseStatus status, string reason)
    {
        try
        {
            if (socket.State is WebSocketState.Open or WebSocketState.CloseReceived)
            {
                await socket.CloseOutputAsync(status, WebSocketEnd.Reason(reason), CancellationToken.None);
            }
        }
        catch (Exception gone) when (WebSocketEnd.Is(gone))
        {
            throw new PeerGoneException(gone);
        }
    }
}
