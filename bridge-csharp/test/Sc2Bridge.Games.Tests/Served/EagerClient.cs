using System.Net.WebSockets;

namespace Sc2Bridge.Games.Tests.Served;

/// <summary>A client that sends long requests before it reads any answer. It closes when it has all answers.</summary>
internal sealed class EagerClient : WebSocket
{
    private const int UnknownField = 1000;

    private readonly TaskCompletionSource _hasAll = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly int _requests;
    private readonly byte[] _request;
    private int _sent;
    private int _answered;

    public EagerClient(int requests)
    {
        _requests = requests;

        // A ping with an unknown field.
        using var bytes = new MemoryStream();
        new Request { Ping = new() }.WriteTo(bytes);
        using (var output = new Google.Protobuf.CodedOutputStream(bytes, leaveOpen: true))
        {
            output.WriteTag(UnknownField, Google.Protobuf.WireFormat.WireType.LengthDelimited);
            output.WriteBytes(Google.Protobuf.ByteString.CopyFrom(new byte[300 << 10]));
        }

        _request = bytes.ToArray();
    }

    /// <summary>The number of requests that were read, the last one perhaps in part.</summary>
    public int Taken { get; private set; }

    public int Answered => Volatile.Read(ref _answered);

    /// <summary>The largest number of requests that were read and not yet answered.</summary>
    public int MostAhead { get; private set; }

    public override WebSocketCloseStatus? CloseStatus => null;

    public override string? CloseStatusDescription => null;

    public override WebSocketState State => _hasAll.Task.IsCompleted ? WebSocketState.CloseReceived : WebSocketState.Open;

    public override string? SubProtocol => null;

    public override async ValueTask<ValueWebSocketReceiveResult> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        if (Taken == _requests && _sent == 0)
        {
            await _hasAll.Task.WaitAsync(cancellationToken);
            return new ValueWebSocketReceiveResult(0, WebSocketMessageType.Close, true);
        }

        Taken += _sent == 0 ? 1 : 0;
        MostAhead = Math.Max(MostAhead, Taken - Answered);
        var part = _request.AsMemory(_sent, Math.Min(buffer.Length, _request.Length - _sent));
        part.CopyTo(buffer);
        _sent = (_sent + part.Length) % _request.Length;
        return new ValueWebSocketReceiveResult(part.Length, WebSocketMessageType.Binary, _sent == 0);
    }

    public override Task SendAsync(
        ArraySegment<byte> buffer, WebSocketMessageType messageType, bool endOfMessage, CancellationToken cancellationToken)
    {
        if (Interlocked.Increment(ref _answered) == _requests)
        {
            _hasAll.SetResult();
        }

        return Task.CompletedTask;
    }

    public override Task CloseOutputAsync(
        WebSocketCloseStatus closeStatus, string? statusDescription, CancellationToken cancellationToken) => Task.CompletedTask;

    public override Task CloseAsync(
        WebSocketCloseStatus closeStatus, string? statusDescription, CancellationToken cancellationToken) =>
        throw new NotSupportedException("The server closes its own end only.");

    public override Task<WebSocketReceiveResult> ReceiveAsync(ArraySegment<byte> buffer, CancellationToken cancellationToken) =>
        throw new NotSupportedException("The server reads into memory.");

    public override void Abort()
    {
    }

    public override void Dispose()
    {
    }
}
