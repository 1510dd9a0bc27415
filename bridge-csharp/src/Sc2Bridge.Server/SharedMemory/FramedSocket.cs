using System.Buffers.Binary;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Runtime.CompilerServices;

namespace Sc2Bridge.Server;

/// <summary>
/// Whole messages on a Unix socket, each with its length before it (four bytes, little-endian), in the form of a
/// WebSocket: sessions need not know which it is. There is no close message: a side that ends its sending has closed.
/// </summary>
/// <param name="socket">Disposed with this.</param>
internal sealed class FramedSocket(Socket socket) : WebSocket
{
    private const int HeadLength = 4;
    private const int Small = 4096;

    private readonly byte[] _in = new byte[Small];
    private readonly byte[] _out = new byte[Small];
    private readonly List<ReadOnlyMemory<byte>> _parts = [];
    private int _start;
    private int _end;
    private int _left = -1;
    private WebSocketState _state = WebSocketState.Open;

    public override WebSocketCloseStatus? CloseStatus => null;

    public override string? CloseStatusDescription => null;

    public override WebSocketState State => _state;

    public override string? SubProtocol => null;

    public override void Abort()
    {
        _state = WebSocketState.Aborted;
        socket.Dispose();
    }

    public override void Dispose() => Abort();

    public override async Task CloseAsync(
        WebSocketCloseStatus closeStatus, string? statusDescription, CancellationToken cancellationToken) =>
        await CloseOutputAsync(closeStatus, statusDescription, cancellationToken);

    public override Task CloseOutputAsync(
        WebSocketCloseStatus closeStatus, string? statusDescription, CancellationToken cancellationToken)
    {
        try
        {
            _state = _state == WebSocketState.CloseReceived ? WebSocketState.Closed : WebSocketState.CloseSent;
            socket.Shutdown(SocketShutdown.Send);
            return Task.CompletedTask;
        }
        catch (Exception gone) when (gone is SocketException or ObjectDisposedException)
        {
            throw Lost(gone);
        }
    }

    public override async Task<WebSocketReceiveResult> ReceiveAsync(ArraySegment<byte> buffer, CancellationToken cancellationToken)
    {
        var received = await ReceiveAsync(buffer.AsMemory(), cancellationToken);
        return new WebSocketReceiveResult(received.Count, received.MessageType, received.EndOfMessage);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<ValueWebSocketReceiveResult> ReceiveAsync(
        Memory<byte> buffer, CancellationToken cancellationToken)
    {
        try
        {
            while (_left < 0)
            {
                if (_end - _start >= HeadLength)
                {
                    _left = BinaryPrimitives.ReadInt32LittleEndian(_in.AsSpan(_start));
                    _start += HeadLength;
                    if (_left < 0)
                    {
                        throw new WebSocketException(WebSocketError.Faulted, "A message of more than 2 GiB is no message.");
                    }
                }
                else if (!await FillAsync(cancellationToken))
                {
                    _state = _state == WebSocketState.CloseSent ? WebSocketState.Closed : WebSocketState.CloseReceived;
                    return new ValueWebSocketReceiveResult(0, WebSocketMessageType.Close, true);
                }
            }

            if (_left > 0 && _start == _end && !await FillAsync(cancellationToken))
            {
                throw new WebSocketException(WebSocketError.ConnectionClosedPrematurely);
            }

            var count = Math.Min(Math.Min(_left, _end - _start), buffer.Length);
            _in.AsSpan(_start, count).CopyTo(buffer.Span);
            _start += count;
            _left -= count;
            var isWhole = _left == 0;
            if (isWhole)
            {
                _left = -1;
            }

            return new ValueWebSocketReceiveResult(count, WebSocketMessageType.Binary, isWhole);
        }
        catch (Exception gone) when (gone is SocketException or ObjectDisposedException)
        {
            throw Lost(gone);
        }
    }

    public override Task SendAsync(
        ArraySegment<byte> buffer, WebSocketMessageType messageType, bool endOfMessage, CancellationToken cancellationToken) =>
        SendAsync(buffer.AsMemory(), messageType, endOfMessage, cancellationToken).AsTask();

    public override ValueTask SendAsync(
        ReadOnlyMemory<byte> buffer, WebSocketMessageType messageType, WebSocketMessageFlags messageFlags,
        CancellationToken cancellationToken = default) =>
        SendAsync(buffer, messageType, messageFlags.HasFlag(WebSocketMessageFlags.EndOfMessage), cancellationToken);

    // A part is used up to the message's end, which comes in the same turn.
    public override ValueTask SendAsync(
        ReadOnlyMemory<byte> buffer, WebSocketMessageType messageType, bool endOfMessage, CancellationToken cancellationToken)
    {
        if (!endOfMessage)
        {
            _parts.Add(buffer);
            return ValueTask.CompletedTask;
        }

        return _parts.Count == 0 && buffer.Length <= Small - HeadLength ? SendSmallAsync(buffer) : SendPartsAsync(buffer);
    }

    private ValueTask SendSmallAsync(ReadOnlyMemory<byte> message)
    {
        BinaryPrimitives.WriteInt32LittleEndian(_out, message.Length);
        message.Span.CopyTo(_out.AsSpan(HeadLength));
        return SendAllAsync(_out.AsMemory(0, HeadLength + message.Length));
    }

    private async ValueTask SendPartsAsync(ReadOnlyMemory<byte> last)
    {
        BinaryPrimitives.WriteInt32LittleEndian(_out, _parts.Sum(part => part.Length) + last.Length);
        await SendAllAsync(_out.AsMemory(0, HeadLength));
        foreach (var part in _parts)
        {
            await SendAllAsync(part);
        }

        _parts.Clear();
        await SendAllAsync(last);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask SendAllAsync(ReadOnlyMemory<byte> bytes)
    {
        try
        {
            while (!bytes.IsEmpty)
            {
                bytes = bytes[await socket.SendAsync(bytes, SocketFlags.None)..];
            }
        }
        catch (Exception gone) when (gone is SocketException or ObjectDisposedException)
        {
            throw Lost(gone);
        }
    }

    private async ValueTask<bool> FillAsync(CancellationToken ct)
    {
        if (_start == _end)
        {
            _start = _end = 0;
        }
        else
        {
            _in.AsSpan(_start, _end - _start).CopyTo(_in);
            (_start, _end) = (0, _end - _start);
        }

        var count = await socket.ReceiveAsync(_in.AsMemory(_end), SocketFlags.None, ct);
        _end += count;
        return count > 0;
    }

    private static WebSocketException Lost(Exception cause) => new(WebSocketError.ConnectionClosedPrematurely, cause);
}
