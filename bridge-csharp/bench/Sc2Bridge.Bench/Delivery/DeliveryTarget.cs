using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>One stretch of frames to one client.</summary>
/// <param name="Lockstep">Each frame waits for the answer to the one before; else they come at the rate.</param>
/// <param name="Frames">How many, those for warming up included.</param>
/// <param name="Rate">Frames a second where it is not lockstep; 0 is as fast as it goes.</param>
/// <param name="Digests">Whether the client takes the digest of what it receives, which costs time.</param>
internal sealed record Phase(bool Lockstep, int Frames, double Rate, bool Digests);

/// <summary>A way for frames to reach a client, measured beside the others.</summary>
/// <param name="Name">As the table calls it.</param>
/// <param name="Transport">What the client speaks: <c>raw</c>, <c>grpc</c>, <c>websocket</c>, with <c>+group-zstd</c> or not.</param>
/// <param name="Address">Host and port.</param>
/// <param name="Peer">The target this one is held against, or null.</param>
/// <param name="ServeAsync">Serves one client; ends when it has had every frame.</param>
internal sealed record DeliveryTarget(
    string Name, string Transport, string Address, string? Peer, Func<Phase, CancellationToken, Task> ServeAsync);

/// <summary>The servers of one run.</summary>
internal sealed class DeliveryTargets : IAsyncDisposable
{
    private readonly MeasuredFrames _frames;
    private readonly YardstickServer _yardstick;
    private readonly BridgeHost _bridge;
    private readonly List<byte[]> _framed = [];
    private readonly List<MessageBuffer> _buffers;
    private ulong _step;
    private ulong _next;

    private DeliveryTargets(MeasuredFrames frames, YardstickServer yardstick, BridgeHost bridge)
    {
        (_frames, _yardstick, _bridge) = (frames, yardstick, bridge);

        // The bare handlers write from memory that stands ready; so does the bridge, or lockstep would time a copy as
        // well. With one reader, which has had a frame before the one after it is made, none is in use when its turn comes.
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
        new("bare gRPC", "grpc", _yardstick.GrpcAddress, null, ServeBareAsync),
        new("bare WebSocket", "websocket", _yardstick.WebAddress, null, ServeBareAsync),
        new("bridge gRPC", "grpc", _bridge.GrpcAddress, "bare gRPC", ServeAsync),
        new("bridge WebSocket", "websocket", _bridge.WebAddress, "bare WebSocket", ServeAsync),
        new("bridge gRPC, group zstd", "grpc+group-zstd", _bridge.GrpcAddress, "bridge gRPC", ServeAsync),
        new("bridge WebSocket, group zstd", "websocket+group-zstd", _bridge.WebAddress, "bridge WebSocket", ServeAsync),
    ];

    /// <summary>Starts them.</summary>
    public static async Task<DeliveryTargets> StartAsync(MeasuredFrames frames, CancellationToken ct) => new(
        frames, await YardstickServer.StartAsync("127.0.0.1", ct), await BridgeHost.StartAsync(ct));

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        _buffers.ForEach(buffer => buffer.Release());
        await _yardstick.DisposeAsync();
        await _bridge.DisposeAsync();
    }

    private async Task ServeAsync(Phase phase, CancellationToken ct)
    {
        await _bridge.Hub.WaitForSubscribersAsync(1, ct);
        Func<ValueTask> publish = phase.Digests ? () => _bridge.PublishAsync(_frames, ct) : () =>
        {
            var buffer = _buffers[(int)(_next++ % (ulong)_buffers.Count)];
            buffer.Retain();
            return _bridge.PublishAsync(buffer, ct);
        };
        await Pacer.RunAsync(phase.Frames, phase.Lockstep ? 0 : phase.Rate, publish, ct);
        await _bridge.EmptyAsync(ct);
    }

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
            await client.Leave();
        }
    }

    // The next one, stamped now: the same bytes that the bridge sends.
    private ReadOnlyMemory<byte> Next()
    {
        var step = _step++;
        var array = _framed[(int)(step % (ulong)_framed.Count)];
        var length = array.Length - MessageBuffer.Headroom;
        var header = new FrameHeader(BridgeHost.MatchId, 0, step, (uint)step, 0, MonotonicClock.NowNs);
        var start = FrameEnvelope.WriteBefore(array, MessageBuffer.Headroom, length, header);
        return array.AsMemory(start);
    }
}
