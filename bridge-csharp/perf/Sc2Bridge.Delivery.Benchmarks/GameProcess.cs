using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>The bridge's end of a <see cref="FrameGame"/> in another process: steps and observes in one round trip.</summary>
internal sealed class GameProcess : IAsyncDisposable
{
    private readonly OwnProcess _process;
    private readonly ClientWebSocket _socket = new();
    private readonly byte[] _step = new Request { Step = new RequestStep { Count = 1 }, Id = 1 }.ToByteArray();
    private readonly byte[] _observe = new Request { Observation = new RequestObservation(), Id = 2 }.ToByteArray();
    private ulong _steps;

    private GameProcess(OwnProcess process)
    {
        _process = process;
        _socket.Options.KeepAliveInterval = TimeSpan.Zero;
    }

    /// <summary>Starts one and connects to it.</summary>
    /// <param name="folder">Its frames; null for those that the benchmark makes.</param>
    /// <param name="ct">Gives it up.</param>
    public static async Task<GameProcess> StartAsync(string? folder, CancellationToken ct)
    {
        var game = new GameProcess(OwnProcess.Start(folder is null ? ["frame-game"] : ["frame-game", "--frames", folder]));
        var port = await game._process.ReadLineAsync(ct);
        await game._socket.ConnectAsync(new Uri($"ws://127.0.0.1:{port}/sc2api"), ct);
        return game;
    }

    /// <summary>The next observation; asked and arrived as the bridge stamps them.</summary>
    public async ValueTask<Streaming.Frame> NextAsync(CancellationToken ct)
    {
        var asked = MonotonicClock.NowNs;
        await _socket.SendAsync(_step.AsMemory(), WebSocketMessageType.Binary, endOfMessage: true, ct);
        await _socket.SendAsync(_observe.AsMemory(), WebSocketMessageType.Binary, endOfMessage: true, ct);
        (await ReceiveAsync(4096, ct)).Release();
        var buffer = await ReceiveAsync(256 << 10, ct);
        var arrived = MonotonicClock.NowNs;
        var slice = ResponseSlicer.Slice(buffer.Written.Span);
        var header = new FrameHeader(BenchmarkFrames.Match, 0, _steps, (uint)_steps, asked, arrived);
        _steps++;
        return Streaming.Frame.Create(buffer, slice.BodyStart, slice.BodyLength, header);
    }

    public async ValueTask DisposeAsync()
    {
        _socket.Dispose();
        await _process.DisposeAsync();
    }

    private async ValueTask<MessageBuffer> ReceiveAsync(int expected, CancellationToken ct)
    {
        var buffer = MessageBuffer.Rent(expected);
        ValueWebSocketReceiveResult received;
        do
        {
            received = await _socket.ReceiveAsync(buffer.GetMemory(1), ct);
            buffer.Advance(received.Count);
        }
        while (!received.EndOfMessage);
        return buffer;
    }
}
