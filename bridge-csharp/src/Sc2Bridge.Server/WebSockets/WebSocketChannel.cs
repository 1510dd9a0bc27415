using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>The protocol's messages on a WebSocket.</summary>
/// <param name="socket">The caller disposes it.</param>
/// <param name="subProtocol">The client's sub-protocol.</param>
/// <param name="deflates">Whether the client and the bridge use permessage-deflate.</param>
/// <param name="backlog">The connection's unsent bytes; null if unknown.</param>
internal sealed class WebSocketChannel(WebSocket socket, SubProtocol subProtocol, bool deflates, SendBacklog? backlog) : IMessageChannel
{
    private readonly ClientSocket _socket = new(socket);
    private WebSocketMessageReader? _reader;
    private volatile bool _isClosed;
    private bool _isTooLong;

    public string Transport => subProtocol.Transport;

    public MessageForm Form => subProtocol.Form;

    public bool Compresses => deflates;

    public bool IsCall => false;

    public bool ClosesWithError => _isTooLong;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<PlayRequest?> ReadAsync(Func<long, bool> mayBuffer)
    {
        _reader ??= new WebSocketMessageReader(socket, SessionLimits.LongestMessage, mayBuffer);
        var type = await ClientSocket.ReceiveAsync(_reader, _isClosed);
        if (type == WebSocketMessageType.Close)
        {
            return null;
        }

        if (type is null && _reader.Message.Length <= SessionLimits.LongestMessage)
        {
            throw new RequestRefusedException(StatusCode.ResourceExhausted, SessionLimits.NotCompletedMessage);
        }

        if (type is null)
        {
            _isTooLong = true;
            throw new RequestRefusedException(StatusCode.InvalidArgument, SessionLimits.TooLongMessage(SessionLimits.LongestMessage));
        }

        return type == subProtocol.MessageType ? subProtocol.Read(_reader.Message.Span) : throw new RequestRefusedException(
            StatusCode.InvalidArgument,
            $"{subProtocol.Name} takes {(subProtocol.MessageType == WebSocketMessageType.Text ? "text" : "binary")} messages only.");
    }

    public ValueTask WriteAsync(MessageSegments message, bool isCompressed) =>
        _socket.SendAsync(message.Head, message.Body, subProtocol.MessageType, isCompressed);

    public ValueTask WaitUntilSentAsync(Subscription subscription, CancellationToken ct) =>
        backlog is null ? ValueTask.CompletedTask : backlog.WaitUntilSentAsync(backlog.WrittenBytes, subscription, ct);

    public ValueTask CloseAsync(uint? code, string reason)
    {
        _isClosed = true;
        return _isTooLong ? _socket.CloseAsync(WebSocketCloseStatus.MessageTooBig, reason) : _socket.CloseAsync(code, reason);
    }

    public void Abort() => socket.Abort();
}
