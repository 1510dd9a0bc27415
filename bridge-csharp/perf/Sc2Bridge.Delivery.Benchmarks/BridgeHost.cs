using Sc2Bridge.Measuring;
using Sc2Bridge.Protocol;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>The bridge as it runs in a match, without the game.</summary>
internal sealed class BridgeHost : IAsyncDisposable
{
    private readonly BridgeServer _server;
    private ulong _step;

    private BridgeHost(Hub hub, BridgeServer server)
    {
        Hub = hub;
        _server = server;
    }

    public Hub Hub { get; }

    public string GrpcAddress => _server.GrpcAddress;

    public string WebAddress => _server.WebAddress;

    /// <summary>Starts one whose match this benchmark publishes itself.</summary>
    public static async Task<BridgeHost> StartAsync(CancellationToken ct)
    {
        var host = await StartEmptyAsync(ct);
        host.Hub.Announce(
            new V1.MatchDescription { MatchId = PinnedFrames.MatchName, Perspectives = { 0 }, StepSize = 1 },
            new NoGame());
        return host;
    }

    /// <summary>Starts one, on ports of its own, that waits for a match.</summary>
    public static async Task<BridgeHost> StartEmptyAsync(CancellationToken ct)
    {
        var hub = new Hub(new HubOptions());
        var options = new BridgeServerOptions { GrpcAddress = "127.0.0.1:0", WebAddress = "127.0.0.1:0" };
        return new BridgeHost(hub, await BridgeServer.StartAsync(hub, options, ct));
    }

    /// <summary>Publishes an observation that stands in a buffer, stamped now.</summary>
    /// <param name="buffer">A hold of it passes on.</param>
    /// <param name="ct">Gives up waiting for subscribers.</param>
    public ValueTask PublishAsync(MessageBuffer buffer, CancellationToken ct)
    {
        var step = _step++;
        var now = MonotonicClock.NowNs;
        var header = new FrameHeader(PinnedFrames.MatchName, 0, step, (uint)step, now, now);
        return Hub.PublishAsync(ObservationFrame.Create(buffer, 0, buffer.Length, header), ct);
    }

    /// <summary>Publishes the next observation, received into a pooled buffer as one from the game is.</summary>
    public ValueTask PublishAsync(MeasuredFrames frames, CancellationToken ct)
    {
        var observation = frames.Observation(_step);
        var buffer = MessageBuffer.Rent(observation.Length);
        observation.CopyTo(buffer.GetSpan(observation.Length));
        buffer.Advance(observation.Length);
        return PublishAsync(buffer, ct);
    }

    /// <summary>Waits until the readers of a phase have gone, so that the next one meets an empty hub.</summary>
    public async Task EmptyAsync(CancellationToken ct)
    {
        while (Hub.Subscribers.Count > 0)
        {
            await Task.Delay(1, ct);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        Hub.Dispose();
    }

    private sealed class NoGame : IGameRequests
    {
        public Task<SC2APIProtocol.Response> RequestAsync(
            uint perspective, SC2APIProtocol.Request request, CancellationToken ct) =>
            throw new InvalidOperationException("There is no game behind this benchmark.");
    }
}

/// <summary>The bridge, as one of the servers of the delivery benchmark.</summary>
internal sealed class BridgeTarget : IDeliveryTarget
{
    private readonly BridgeHost _host;
    private readonly bool _isGrpc;
    private readonly bool _isGrouped;
    private readonly MeasuredFrames _frames;
    private readonly MessageBuffer[] _buffers;
    private ulong _next;

    /// <param name="host">Not owned.</param>
    /// <param name="transport"><c>grpc</c> or <c>websocket</c>.</param>
    /// <param name="isGrouped">Whether the client asks for group zstd.</param>
    /// <param name="frames">What is sent.</param>
    public BridgeTarget(BridgeHost host, string transport, bool isGrouped, MeasuredFrames frames)
    {
        _host = host;
        _isGrpc = transport == "grpc";
        _isGrouped = isGrouped;
        _frames = frames;
        // The bare handlers write from memory that stands ready; so does this, or lockstep would time a copy as well.
        // With one reader, which has had a frame before the one after it is made, no buffer is in use when its turn
        // comes.
        _buffers = [.. Enumerable.Range(0, frames.Count).Select(index =>
        {
            var observation = frames.Observation((ulong)index);
            var buffer = MessageBuffer.Rent(observation.Length);
            observation.CopyTo(buffer.GetSpan(observation.Length));
            buffer.Advance(observation.Length);
            return buffer;
        })];
    }

    public string Name => (_isGrpc ? "bridge, gRPC" : "bridge, WebSocket") + (_isGrouped ? ", group zstd" : "");

    public string Transport => (_isGrpc ? "grpc" : "websocket") + (_isGrouped ? "+group-zstd" : "");

    public string Address => _isGrpc ? _host.GrpcAddress : _host.WebAddress;

    public bool HasLockstep => true;

    public string? Peer => _isGrouped ? _isGrpc ? "bridge, gRPC" : "bridge, WebSocket"
        : _isGrpc ? "bare gRPC" : "bare WebSocket";

    public async Task ServeAsync(Phase phase, CancellationToken ct)
    {
        await _host.Hub.WaitForSubscribersAsync(1, ct);
        Func<ValueTask> publish = phase.Digests ? () => _host.PublishAsync(_frames, ct) : () => PublishAsync(ct);
        await Pacer.RunAsync(phase.Frames, phase.Lockstep ? 0 : phase.Rate, publish, ct, _host.Hub.Expect);
        await _host.EmptyAsync(ct);
    }

    public ValueTask DisposeAsync()
    {
        foreach (var buffer in _buffers)
        {
            buffer.Release();
        }

        return ValueTask.CompletedTask;
    }

    private ValueTask PublishAsync(CancellationToken ct)
    {
        var buffer = _buffers[_next++ % (ulong)_buffers.Length];
        buffer.Retain();
        return _host.PublishAsync(buffer, ct);
    }
}
