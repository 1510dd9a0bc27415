using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>A series of frames to one client. The client gets it as its order.</summary>
/// <param name="Lockstep">Each frame waits for the answer to the previous one. Otherwise frames are sent at the rate.</param>
/// <param name="Frames">The number of frames, including the warm-up.</param>
/// <param name="WarmUp">The number of frames that are not counted.</param>
/// <param name="Rate">Frames a second without lockstep, 0 for as fast as possible.</param>
internal sealed record Phase(bool Lockstep, int Frames, int WarmUp, double Rate);

/// <summary>A way for frames to reach a client, measured in turn with the others.</summary>
/// <param name="Name">As the table calls it.</param>
/// <param name="Transport">
/// The client's transport: <c>raw</c>, <c>memory</c> (bare shared memory), <c>grpc</c>, <c>websocket</c>, <c>shm</c>, with or
/// without <c>+tls</c>, <c>+json</c>, <c>+columns</c> or <c>+group-zstd</c>.
/// </param>
/// <param name="Address">Host and port.</param>
/// <param name="Peer">The target this one is held against, or null.</param>
/// <param name="ServeAsync">Serves one client; ends when it has had every frame.</param>
internal sealed record DeliveryTarget(
    string Name, string Transport, string Address, string? Peer, Func<Phase, CancellationToken, Task> ServeAsync);

/// <summary>The servers of one run.</summary>
internal sealed class DeliveryTargets : IAsyncDisposable
{
    private readonly YardstickServer _yardstick;
    private readonly BridgeHost _bridge;
    private readonly BridgeHost _tls;
    private readonly List<byte[]> _framed = [];
    private readonly List<MessageBuffer> _buffers;
    private ulong _step;
    private ulong _next;

    private DeliveryTargets(MeasuredFrames frames, YardstickServer yardstick, BridgeHost bridge, BridgeHost tls)
    {
        (_yardstick, _bridge, _tls) = (yardstick, bridge, tls);

        // The bare handlers write from memory that is already filled. The bridge does the same here, else lockstep would include
        // a copy. The only reader has released a frame before the next one is made, so no buffer is in use when it is reused.
        _buffers = [.. frames.All.Select(BridgeHost.Pooled)];
        foreach (var observation in frames.All)
        {
            var array = GC.AllocateUninitializedArray<byte>(MessageBuffer.Headroom + observation.Length, pinned: true);
            observation.CopyTo(array, MessageBuffer.Headroom);
            _framed.Add(array);
        }
    }

    /// <summary>In the order of the table.</summary>
    public IReadOnlyList<DeliveryTarget> All =>
    [
        new("raw TCP", "raw", _yardstick.RawAddress, null, ServeBareAsync),
        .. _yardstick.MemoryAddress.Length == 0 ? (DeliveryTarget[])[] :
        [
            new("bare shared memory", "memory", _yardstick.MemoryAddress, "raw TCP", ServeBareAsync),
            new("bridge shared memory", "shm", _bridge.SharedMemoryAddress, "raw TCP", Serve(_bridge)),
            new("bridge shared memory, columns", "shm+columns", _bridge.SharedMemoryAddress, "raw TCP", Serve(_bridge)),
        ],
        new("bare gRPC", "grpc", _yardstick.GrpcAddress, null, ServeBareAsync),
        new("bare WebSocket", "websocket", _yardstick.WebAddress, null, ServeBareAsync),
        new("bridge gRPC", "grpc", _bridge.GrpcAddress, "bare gRPC", Serve(_bridge)),
        new("bridge WebSocket", "websocket", _bridge.WebAddress, "bare WebSocket", Serve(_bridge)),
        new("bridge WebSocket, JSON", "websocket+json", _bridge.WebAddress, "bridge WebSocket", Serve(_bridge)),
        new("bridge gRPC, TLS", "grpc+tls", _tls.GrpcAddress, "bridge gRPC", Serve(_tls)),
        new("bridge WebSocket, TLS", "websocket+tls", _tls.WebAddress, "bridge WebSocket", Serve(_tls)),
        new("bridge gRPC, group zstd", "grpc+group-zstd", _bridge.GrpcAddress, "bridge gRPC", Serve(_bridge)),
        new("bridge WebSocket, group zstd", "websocket+group-zstd", _bridge.WebAddress, "bridge WebSocket", Serve(_bridge)),
    ];

    /// <summary>Where the meters of the bridge without TLS are.</summary>
    public string Metrics => $"http://{_bridge.WebAddress}/metrics";

    public static async Task<DeliveryTargets> StartAsync(MeasuredFrames frames, CancellationToken ct) => new(
        frames, await YardstickServer.StartAsync("127.0.0.1", ct), await BridgeHost.StartAsync(ct),
        await BridgeHost.StartAsync(ct, Tls.SelfSigned([], null, DateTimeOffset.UtcNow)));

    public async ValueTask DisposeAsync()
    {
        _buffers.ForEach(buffer => buffer.Release());
        await _yardstick.DisposeAsync();
        await _bridge.DisposeAsync();
        await _tls.DisposeAsync();
    }

    private Func<Phase, CancellationToken, Task> Serve(BridgeHost bridge) => async (phase, ct) =>
    {
        await bridge.Hub.WaitForSubscribersAsync(1, ct);
        await Pacer.RunAsync(phase.Frames, phase.Rate, PublishAsync, ct);
        await bridge.EmptyAsync(ct);

        ValueTask PublishAsync()
        {
            var buffer = _buffers[(int)(_next++ % (ulong)_buffers.Count)];
            buffer.Retain();
            return bridge.PublishAsync(buffer, ct);
        }
    };

    private async Task ServeBareAsync(Phase phase, CancellationToken ct)
    {
        var client = await _yardstick.NextAsync(ct);

        // On a thread of its own: the raw socket's calls block.
        await await Task.Factory.StartNew(() => SendAsync(client, phase, ct), TaskCreationOptions.LongRunning);
    }

    private async Task SendAsync(YardstickClient client, Phase phase, CancellationToken ct)
    {
        try
        {
            if (phase.Lockstep)
            {
                await client.Send(Next());
                for (var sent = 1; sent < phase.Frames; sent++)
                {
                    await client.Receive();
                    await client.Send(Next());
                }
            }
            else
            {
                await Pacer.RunAsync(phase.Frames, phase.Rate, () => client.Send(Next()), ct);
            }
        }
        catch (Exception gone) when (YardstickClient.IsGone(gone))
        {
            // The client leaves when it holds the last frame, whose write may not have come back yet; a frame too few is
            // the client's to report.
        }
        finally
        {
            client.Leave();
        }
    }

    // The next one, stamped now: the same bytes that the bridge sends.
    private ReadOnlyMemory<byte> Next()
    {
        var step = _step++;
        var array = _framed[(int)(step % (ulong)_framed.Count)];
        var length = array.Length - MessageBuffer.Headroom;
        var header = new FrameHeader(BridgeHost.MatchId, 0, step, (uint)step, 0, MonotonicClock.NowNs);
        var start = EnvelopeWriter.WriteBefore(array, MessageBuffer.Headroom, length, header);
        return array.AsMemory(start);
    }
}
