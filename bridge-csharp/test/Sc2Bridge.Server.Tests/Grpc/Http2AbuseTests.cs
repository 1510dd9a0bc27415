using Grpc.Core;
using Sc2Bridge.Server;

namespace Sc2Bridge.Server.Tests;

/// <summary>HTTP/2 from attackers and broken clients. A witness on another connection receives every frame.</summary>
[Collection(nameof(MeasuredAlone))]
public sealed class Http2AbuseTests
{
    private static readonly int _mostStreams = new AdmissionLimits().StreamsPerConnection;

    private const string Play = "/sc2bridge.v1.BridgeService/Play";
    private const ushort InitialWindowSize = 4;

    private static readonly byte[] Latest = new PlayRequest { Subscribe = new() { Policy = Policy.Latest } }.ToByteArray();

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task Calls_reset_as_soon_as_they_are_made()
    {
        await using var scene = await Scene.StartAsync();
        using (var client = await RawHttp2.ConnectAsync(scene.Address))
        {
            var gone = client.GoneWithAsync();
            var headers = RawHttp2.CallHeaders(Play);
            for (uint stream = 1; stream < 40_000; stream += 2)
            {
                var reset = RawHttp2.Frame(RawHttp2.ResetStream, 0, stream, [0, 0, 0, 8]);
                if (!await client.TrySendAsync([.. RawHttp2.Call(stream, headers, Latest), .. reset]))
                {
                    break;
                }

                if (stream % 4001 == 0)
                {
                    await scene.WitnessHearsAsync();
                }
            }

            await scene.WitnessHearsAsync();
        }

        await scene.OnlyTheWitnessIsLeftAsync();
    }

    [Fact]
    public async Task Streams_by_the_thousand_whose_window_never_opens()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits
        {
            Subscriptions = 2 * _mostStreams,
            StreamsPerConnection = _mostStreams,
        });
        await using var scene = await Scene.StartAsync(admission);
        using (var client = await RawHttp2.ConnectAsync(scene.Address, (InitialWindowSize, 0)))
        {
            _ = client.GoneWithAsync();
            var headers = RawHttp2.CallHeaders(Play);
            uint stream = 1;
            for (; stream < 2 * _mostStreams; stream += 2)
            {
                Assert.True(await client.TrySendAsync(RawHttp2.Call(stream, headers, Latest)));
            }

            await scene.SubscribersAsync(_mostStreams + 1);
            await scene.WitnessHearsAsync(20);
            var before = GC.GetTotalMemory(forceFullCollection: true);
            await scene.WitnessHearsAsync(20);
            var more = GC.GetTotalMemory(forceFullCollection: true) - before;
            Assert.True(more < 16 << 20, $"{more} bytes more after 20 frames that none of these clients read.");

            // One more stream is refused, and the other streams stay.
            Assert.True(await client.TrySendAsync(RawHttp2.Call(stream, headers, Latest)));
            await scene.WitnessHearsAsync();
            Assert.Equal(_mostStreams + 1, scene.Subscribers);
        }

        await scene.OnlyTheWitnessIsLeftAsync();
    }

    [Fact]
    public async Task Frames_that_break_the_rules_end_their_connection()
    {
        await using var scene = await Scene.StartAsync();
        var call = RawHttp2.CallHeaders(Play);
        var huge = RawHttp2.CallHeaders(Play, ("x", new string('a', 100_000)));
        byte[][] abuses =
        [
            // Headers without an end: one CONTINUATION frame after another.
            [.. RawHttp2.Frame(RawHttp2.Headers, 0, 1, call), .. Enumerable.Range(0, 200).SelectMany(_ =>
                RawHttp2.Frame(RawHttp2.Continuation, 0, 1, RawHttp2.CallHeaders("/", ("x", new string('a', 8000)))))],
            RawHttp2.Frame(RawHttp2.Headers, 4, 1, huge),
            RawHttp2.Frame(RawHttp2.Headers, 4, 2, call), // An even stream is the server's.
            RawHttp2.Frame(RawHttp2.Headers, 4, 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            RawHttp2.Frame(RawHttp2.WindowUpdate, 0, 0, [0, 0, 0, 0]),
            RawHttp2.Frame(RawHttp2.WindowUpdate, 0, 0, [0x7F, 0xFF, 0xFF, 0xFF]), // Beyond the largest window.
            RawHttp2.Frame(RawHttp2.Settings, 0, 0, [1]),
            RawHttp2.Frame(RawHttp2.Settings, 0, 0, [0, 4, 0xFF, 0xFF, 0xFF, 0xFF]),
            RawHttp2.Frame(RawHttp2.Ping, 0, 0, [1]),
            RawHttp2.Frame(RawHttp2.Data, 0, 1, [1]),
            [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1], // 16 MiB of DATA announced.
        ];
        foreach (var abuse in abuses)
        {
            using var client = await RawHttp2.ConnectAsync(scene.Address);
            var gone = client.GoneWithAsync();
            await client.TrySendAsync(abuse);
            Assert.NotEqual(0u, await gone);
            await scene.WitnessHearsAsync();
        }

        await scene.OnlyTheWitnessIsLeftAsync();
    }

    [Fact]
    public async Task Pings_whose_answers_are_never_read_stop_being_taken()
    {
        await using var scene = await Scene.StartAsync();
        using (var client = await RawHttp2.ConnectAsync(scene.Address))
        {
            var ping = RawHttp2.Frame(RawHttp2.Ping, 0, 0, new byte[8]);
            var pings = new byte[2_000_000 * ping.Length];
            for (var at = 0; at < pings.Length; at += ping.Length)
            {
                ping.CopyTo(pings, at);
            }

            await scene.WitnessHearsAsync(20);
            var before = GC.GetTotalMemory(forceFullCollection: true);
            var left = client.SendUntilFull(pings);
            Assert.True(left > 0, "All 34 MB of pings were taken.");
            await scene.WitnessHearsAsync();
            GC.KeepAlive(pings);
            var more = GC.GetTotalMemory(forceFullCollection: true) - before;
            Assert.True(more < 16 << 20, $"{more} bytes are held for a client that does not read.");
        }

        await scene.OnlyTheWitnessIsLeftAsync();
    }

    /// <summary>A served match and a subscriber to every frame of it.</summary>
    private sealed class Scene(ServedMatch match) : IAsyncDisposable
    {
        private readonly GrpcClient _client = match.Client();
        private AsyncServerStreamingCall<PlayResponse>? _witness;
        private uint _step;

        public string Address => match.Address;

        public int Subscribers => match.Hub.Subscribers.Count;

        public static async Task<Scene> StartAsync(ConnectionAdmission? admission = null)
        {
            var scene = new Scene(await ServedMatch.StartAsync(
                options => admission is null ? options : options with { Admission = admission }));
            scene._witness = scene._client.Subscribe(
                new SubscribeRequest { Agent = "witness" }, cancellationToken: Ct);
            await scene.SubscribersAsync(1);
            return scene;
        }

        public Task SubscribersAsync(int count) => match.Hub.WaitForSubscribersAsync(count, Ct);

        public async Task WitnessHearsAsync(int frames = 1)
        {
            for (var frame = 0; frame < frames; frame++)
            {
                await match.PublishAsync(_step, 160 << 10);
                Assert.Equal(_step++, (await _witness!.ResponseStream.NextAsync())!.Frame.GameLoop);
            }
        }

        public async Task OnlyTheWitnessIsLeftAsync()
        {
            await HoldsAsync(() => match.Hub.Subscribers.Count <= 1);

            Assert.Equal("witness", match.Hub.Subscribers.Single().Name);
            await WitnessHearsAsync();
        }

        public async ValueTask DisposeAsync()
        {
            _witness?.Dispose();
            _client.Dispose();
            await match.DisposeAsync();
        }
    }
}
