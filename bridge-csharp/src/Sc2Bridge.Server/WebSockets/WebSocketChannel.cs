using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>The protocol's messages on a WebSocket.</summary>
/// <param name="socket">Its owner disposes it.</param>
/// <param name="form">How messages travel on it.</param>
/// <param name="deflates">Whether both ends use permessage-deflate.</param>
/// <param name="link">What was not sent yet; null if that is unknown.</param>
internal sealed class WebSocketChannel(WebSocket socket, SubProtocol form, bool deflates, SendBacklog? link) : IMessageChannel
{
    private WebSocketMessageReader? _reader;
    private volatile bool _isClosed;
    private bool _isTooLong;

    public string Transport => form.Transport;

    public MessageForm Form => form.Form;

    public bool Compresses => deflates;

    public bool IsCall => false;

    /// <summary>The close's status of an error: 4000 and the code.</summary>
    /// <param name="code">A gRPC status code.</param>
    public static WebSocketCloseStatus StatusOf(uint code) => (WebSocketCloseStatus)(4000 + code);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<PlayRequest?> ReadAsync(Func<long, bool> mayHold)
    {
        _reader ??= new WebSocketMessageReader(socket, SessionLimits.LongestMessage, mayHold);
        var kind = await ReceiveAsync(_reader, _isClosed);
        if (kind == WebSocketMessageType.Close)
        {
            return null;
        }

        if (kind is null && _reader.Message.Length <= SessionLimits.LongestMessage)
        {
            throw new RequestRefusedException(StatusCode.ResourceExhausted, SessionLimits.Unfinished);
        }

        if (kind is null)
        {
            _isTooLong = true;
            throw new RequestRefusedException(StatusCode.InvalidArgument, SessionLimits.TooLong(SessionLimits.LongestMessage));
        }

        return kind == form.MessageType ? form.Read(_reader.Message.Span) : throw new RequestRefusedException(
            StatusCode.InvalidArgument,
            $"{form.Name} takes {(form.MessageType == WebSocketMessageType.Text ? "text" : "binary")} messages only.");
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WriteAsync(MessageSegments message, bool isCompressed)
    {
        try
        {
            // No token: with one the socket takes a slower path. A write that must end is ended by Abort.
            var flags = isCompressed ? WebSocketMessageFlags.DisableCompression : WebSocketMessageFlags.None;
            if (!message.Head.IsEmpty)
            {
                await socket.SendAsync(message.Head, form.MessageType, flags, CancellationToken.None);
            }

            flags |= WebSocketMessageFlags.EndOfMessage;
            await socket.SendAsync(message.Body, form.MessageType, flags, CancellationToken.None);
        }
        catch (Exception gone) when (WebSocketEnd.Is(gone))
        {
            throw new PeerGoneException(gone);
        }
    }

    public async ValueTask WriteAsync(PlayResponse message)
    {
        var buffer = MessageBuffer.Rent();
        try
        {
            form.Write(message, buffer);
            await WriteAsync(new MessageSegments(default, buffer.Written), isCompressed: false);
        }
        finally
        {
            buffer.Release();
        }
    }

    public ValueTask ClearAsync(Subscription subscription, CancellationToken ct) =>
        link is null ? ValueTask.CompletedTask : link.ClearAsync(link.Sent, subscription, ct);

    public async ValueTask CloseAsync(PlayResponse? error, string reason)
    {
        var status = error is null ? WebSocketCloseStatus.NormalClosure : StatusOf(error.Error.Code);
        if (_isTooLong)
        {
            status = WebSocketCloseStatus.MessageTooBig;
        }
        else if (error is not null)
        {
            await WriteAsync(error);
        }

        _isClosed = true;
        await CloseAsync(socket, status, reason);
    }

    public void Abort() => socket.Abort();

    /// <summary>Closes this direction of a socket.</summary>
    /// <exception cref="PeerGoneException">The connection is gone.</exception>
    public static async ValueTask CloseAsync(WebSocket socket, WebSocketCloseStatus status, string reason)
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

    /// <summary>Reads a socket's next message.</summary>
    /// <param name="reader">Has the message then.</param>
    /// <param name="socketIsClosed">True: skips all messages up to the client's close.</param>
    /// <returns>As of <see cref="WebSocketMessageReader.ReadAsync"/>.</returns>
    /// <exception cref="PeerGoneException">The connection is gone.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<WebSocketMessageType?> ReceiveAsync(WebSocketMessageReader reader, bool socketIsClosed)
    {
        try
        {
            if (!socketIsClosed)
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
}
