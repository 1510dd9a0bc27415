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
    private readonly ClientSocket _socket = new(socket);
    private WebSocketMessageReader? _reader;
    private volatile bool _isClosed;
    private bool _isTooLong;

    public string Transport => form.Transport;

    public MessageForm Form => form.Form;

    public bool Compresses => deflates;

    public bool IsCall => false;

    public bool ClosesWithError => _isTooLong;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<PlayRequest?> ReadAsync(Func<long, bool> mayHold)
    {
        _reader ??= new WebSocketMessageReader(socket, SessionLimits.LongestMessage, mayHold);
        var kind = await ClientSocket.ReceiveAsync(_reader, _isClosed);
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

    public ValueTask WriteAsync(MessageSegments message, bool isCompressed) =>
        _socket.SendAsync(message.Head, message.Body, form.MessageType, isCompressed);

    public ValueTask ClearAsync(Subscription subscription, CancellationToken ct) =>
        link is null ? ValueTask.CompletedTask : link.ClearAsync(link.Sent, subscription, ct);

    public ValueTask CloseAsync(uint? code, string reason)
    {
        _isClosed = true;
        return _isTooLong ? _socket.CloseAsync(WebSocketCloseStatus.MessageTooBig, reason) : _socket.CloseAsync(code, reason);
    }

    public void Abort() => socket.Abort();
}
