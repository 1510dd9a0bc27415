using SC2APIProtocol;
using Sc2Bridge.Server;

namespace Sc2Bridge.Server.Tests;

/// <summary>
/// Under <c>latest</c> no frame waits behind another in a buffer: counted in frames, with real sockets that nobody reads.
/// </summary>
public sealed class SlowLinkTests
{
    private const int Frames = 60;

    // More than a peer's system takes without its reader, so that the first one is never gone.
    private const int FrameBytes = 1 << 20;

    // Room for an answer's headers, or a handshake.
    private const int Greetings = 1 << 10;

    private static readonly byte[] Incompressible = new byte[FrameBytes];

    static SlowLinkTests() => new Random(1).NextBytes(Incompressible);

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public async Task On_grpc_one_frame_is_under_way_and_then_the_newest(bool unix, bool gzip)
    {
        // Less than the buffers on the way take, or a write would wait by itself: a Unix socket's are smaller.
        var bytes = unix ? FrameBytes / 16 : FrameBytes / 4;
        await using var match = await ServedMatch.StartAsync(unix);
        using var way = SlowWay.To(match.Address, Greetings);
        using var client = new GrpcClient(way.Address);
        using var agent = client.Subscribe(
            new SubscribeRequest { Policy = Policy.Latest }, gzip ? GrpcClient.Gzip : null, cancellationToken: Ct);

        // A second one where Kestrel had not handed the first to its Unix socket yet, which then seemed empty.
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
        using var socket = new ClientWebSocket();
        socket.Options.AddSubProtocol(subProtocol);
        socket.Options.DangerousDeflateOptions = deflate ? new WebSocketDeflateOptions() : null;
        await socket.ConnectAsync(new Uri($"ws://{way.Address}/v1"), Ct);
        using var agent = new AgentSocket(socket);
        await agent.SubscribeAsync(policy: Policy.Latest);
        var underWay = await PlayAsync(match.Hub, step => match.PublishAsync(Observation(step, FrameBytes).Span), most: 1);
        match.End();
        way.Open();
        await HearsTheNewestAsync(agent.ReceiveAsync, underWay);
    }

    // The first frame is handed on. However many are published then, the next one is taken when that has left.
    private static async Task<long> PlayAsync(Hub hub, Func<uint, ValueTask> publish, long most)
    {
        await hub.WaitForSubscribersAsync(1, Ct);
        await publish(0);
        await HoldsAsync(() => hub.Subscribers.Single().Delivered >= 1);

        for (var step = 1u; step < Frames; step++)
        {
            await publish(step);

            // Whoever would take it too soon may be woken on another thread.
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
