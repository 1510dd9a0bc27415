using System.Buffers.Binary;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Server;

/// <summary>
/// Whole messages on a Unix socket, each with its length before it (four bytes, little-endian), in the form of a
/// WebSocket: sessions need not know which it is. A length of -1 closes, as a WebSocket's close message. The connection
/// itself ends when the client needs no memory any more: see <see cref="UntilGoneAsync"/>.
/// </summary>
/// <param name="socket">Disposed with this.</param>
internal sealed class FramedSocket(Socket socket) : WebSocket
{
    private const int HeadLength = 4;
    private const int Closes = -1;
    private const int Small = 4096;

    private readonly byte[] _in = new byte[Small];
    private readonly byte[] _out = new byte[Small];
    private readonly List<ArraySegment<byte>> _parts = [];
    private readonly CancellationTokenSource _aborted = new();
    private int _start;
    private int _end;
    private int _left = -1;
    private WebSocketState _state = WebSocketState.Open;

    public override WebSocketCloseStatus? CloseStatus => null;

    public override string? CloseStatusDescription => null;

    public override WebSocketState State => _state;

    public override string? SubProtocol => null;

    /// <summary>Ends what is under way; the client still says that it has gone by closing its end.</summary>
    public override void Abort()
    {
        _state = WebSocketState.Aborted;
        try
        {
            socket.Shutdown(SocketShutdown.Send);
        }
        catch (Exception gone) when (gone is SocketException or ObjectDisposedException)
        {
            // The client was first.
        }

        _aborted.Cancel();
    }

    public override void Dispose()
    {
        Abort();
        socket.Dispose();
    }

    /// <summary>Waits until no process has the client's end open any more; nothing that still comes is kept.</summary>
    /// <param name="ct">Gives up.</param>
    public async Task UntilGoneAsync(CancellationToken ct)
    {
        try
        {
            while (await socket.ReceiveAsync(_in.AsMemory(), SocketFlags.None, ct) > 0)
            {
            }
        }
        catch (Exception gone) when (gone is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // It has gone, or the bridge goes.
        }
    }

    public override async Task CloseAsync(
        WebSocketCloseStatus closeStatus, string? statusDescription, CancellationToken cancellationToken) =>
        await CloseOutputAsync(closeStatus, statusDescription, cancellationToken);

    public override Task CloseOutputAsync(
        WebSocketCloseStatus closeStatus, string? statusDescription, CancellationToken cancellationToken)
    {
        _state = _state == WebSocketState.CloseReceived ? WebSocketState.Closed : WebSocketState.CloseSent;
        BinaryPrimitives.WriteInt32LittleEndian(_out, Closes);
        return SendAllAsync(_out.AsMemory(0, HeadLength)).AsTask();
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
                    if (_left == Closes)
                    {
                        _state = _state == WebSocketState.CloseSent ? WebSocketState.Closed : WebSocketState.CloseReceived;
                        return new ValueWebSocketReceiveResult(0, WebSocketMessageType.Close, true);
                    }

                    if (_left < 0)
                    {
                        throw new WebSocketException(WebSocketError.Faulted, "A message of more than 2 GiB is no message.");
                    }
                }
                else
                {
                    await FillAsync(cancellationToken);
                }
            }

            if (_left > 0 && _start == _end)
            {
                await FillAsync(cancellationToken);
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
        catch (Exception gone) when (IsGone(gone, cancellationToken))
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
            Add(buffer);
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

    // In one call, which a stream's socket ends when all are sent.
    private async ValueTask SendPartsAsync(ReadOnlyMemory<byte> last)
    {
        try
        {
            Add(last);
            BinaryPrimitives.WriteInt32LittleEndian(_out, _parts.Sum(part => part.Count));
            _parts.Insert(0, new ArraySegment<byte>(_out, 0, HeadLength));
            await socket.SendAsync(_parts, SocketFlags.None).WaitAsync(_aborted.Token);
        }
        catch (Exception gone) when (IsGone(gone, default))
        {
            throw Lost(gone);
        }
        finally
        {
            _parts.Clear();
        }
    }

    private void Add(ReadOnlyMemory<byte> part) => _parts.Add(MemoryMarshal.TryGetArray(part, out var array) ? array : part.ToArray());

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask SendAllAsync(ReadOnlyMemory<byte> bytes)
    {
        try
        {
            while (!bytes.IsEmpty)
            {
                bytes = bytes[await socket.SendAsync(bytes, SocketFlags.None, _aborted.Token)..];
            }
        }
        catch (Exception gone) when (IsGone(gone, default))
        {
            throw Lost(gone);
        }
    }

    private async ValueTask FillAsync(CancellationToken ct)
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

        using var either = ct.CanBeCanceled ? CancellationTokenSource.CreateLinkedTokenSource(ct, _aborted.Token) : null;
        var count = await socket.ReceiveAsync(_in.AsMemory(_end), SocketFlags.None, either?.Token ?? _aborted.Token);
        _end += count > 0 ? count : throw new WebSocketException(WebSocketError.ConnectionClosedPrematurely);
    }

    private static bool IsGone(Exception problem, CancellationToken asked) => problem is SocketException or ObjectDisposedException
        || (problem is OperationCanceledException && !asked.IsCancellationRequested);

    private static WebSocketException Lost(Exception cause) => new(WebSocketError.ConnectionClosedPrematurely, cause);
}
