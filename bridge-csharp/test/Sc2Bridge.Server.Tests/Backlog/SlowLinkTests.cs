using SC2APIProtocol;
using Sc2Bridge.Server;

namespace Sc2Bridge.Server.Tests;

/// <summary>Under <c>latest</c>, no frame waits behind another in a buffer. The test counts frames on real sockets without readers.</summary>
public sealed class SlowLinkTests
{
    private const int Frames = 60;

    // More than the client's system buffers without a reader, so that the first frame always stays.
    private const int FrameBytes = 1 << 20;

    // Bytes for the answer's headers, or a handshake.
    private const int Greetings = 1 << 10;

    private static readonly byte[] Incompressible = new byte[FrameBytes];

    static SlowLinkTests() => new Random(1).NextBytes(Incompressible);

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public async Task On_grpc_one_frame_is_under_way_and_then_the_newest(bool unix, bool gzip)
    {
        // Less than the buffers on the way can hold; otherwise the write itself would wait. A Unix socket's buffers are smaller.
        var bytes = unix ? FrameBytes / 16 : FrameBytes / 4;
        await using var match = await ServedMatch.StartAsync(unix);
        using var way = SlowWay.To(match.Address, Greetings);
        using var client = new GrpcClient(way.Address);
        using var agent = client.Subscribe(
            new SubscribeRequest { Policy = Policy.Latest }, gzip ? GrpcClient.Gzip : null, cancellationToken: Ct);

        // Two frames if Kestrel had not yet passed the first frame to its Unix socket, which then seemed empty.
        var underWay = await PlayAsync(
            match.Hub, step => match.PublishAsync(Observation(step, bytes).Span), most: unix ? 2 : 1);
        match.End();
        way.Open();
        await HearsTheNewestAsync(agent.ResponseStream.NextAsync, underWay);
    }

    [Theory]
    [InlineData("sc2bridge.proto.v1", false)]
    [InlineData("sc2bridge.proto.v1", true)]
    [InlineData("sc2bridge.json.v1", false)]
    [InlineData("sc2bridge.json.v1", true)]
    public async Task On_the_web_socket_too(string subProtocol, bool deflate)
    {
        await using var match = await WebSocketMatch.StartAsync(deflate);
        using var way = SlowWay.To(match.Authority, Greetings);
        using var agent = await AgentSocket.ConnectAsync($"ws://{way.Address}/v1", subProtocol, options =>
            options.DangerousDeflateOptions = deflate ? new WebSocketDeflateOptions() : null);
        await agent.SubscribeAsync(policy: Policy.Latest);
        var underWay = await PlayAsync(match.Hub, step => match.PublishAsync(Observation(step, FrameBytes).Span), most: 1);
        match.End();
        way.Open();
        await HearsTheNewestAsync(agent.ReceiveAsync, underWay);
    }

    // The first frame is sent. The next frame is only taken when the first has left, however many are published.
    private static async Task<long> PlayAsync(Hub hub, Func<uint, ValueTask> publish, long most)
    {
        await hub.WaitForSubscribersAsync(1, Ct);
        await publish(0);
        await HoldsAsync(() => hub.Subscribers.Single().Delivered >= 1);

        for (var step = 1u; step < Frames; step++)
        {
            await publish(step);

            // A subscriber that takes it too early may continue on another thread.
            await Task.Delay(5, Ct);
            Assert.InRange(hub.Subscribers.Single().Delivered, 1, most);
        }

        return hub.Subscribers.Single().Delivered;
    }

    private static async Task HearsTheNewestAsync(Func<Task<V1.PlayResponse?>> next, long underWay)
    {
        var skipped = 0ul;
        for (var frame = 0; frame < underWay; frame++)
        {
            skipped += (await next())!.Frame.Skipped?.Frames ?? 0;
        }

        var newest = (await next())!.Frame;
        Assert.Equal(Frames - 1ul, newest.Step);
        Assert.Equal((ulong)(Frames - underWay - 1), skipped + newest.Skipped.Frames);
        Assert.NotNull((await next())!.MatchEnd);
    }

    private static ReadOnlyMemory<byte> Observation(uint gameLoop, int bytes) => new ResponseObservation
    {
        Observation = new Observation
        {
            GameLoop = gameLoop,
            RawData = new ObservationRaw
            {
                MapState = new MapState
                {
                    Visibility = new ImageData { Data = UnsafeByteOperations.UnsafeWrap(Incompressible.AsMemory(0, bytes)) },
                },
            },
        },
    }.ToByteArray();
}
