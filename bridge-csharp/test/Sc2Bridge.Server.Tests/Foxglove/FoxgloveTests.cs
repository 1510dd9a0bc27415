using System.Reflection;
using System.Text;
using FoxgloveSchemas;
using SC2APIProtocol;
using Sc2Bridge.Foxglove;

namespace Sc2Bridge.Server.Tests;

/// <summary>Foxglove's protocol on the WebSocket's port, for clients with each permission.</summary>
public sealed class FoxgloveTests
{
    private const string Sdk = "foxglove.sdk.v1";

    [Theory]
    [InlineData(Sdk, "/")]
    [InlineData(Sdk, "/v1")]
    [InlineData(Sdk, "/V1/")]
    [InlineData("foxglove.websocket.v1", "")]
    public async Task It_is_served_at_the_address_and_at_the_bridges_path(string subProtocol, string path)
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var client = await FoxgloveSocketClient.ConnectAsync(match, subProtocol, path);
        var info = await client.TextAsync("serverInfo");
        Assert.Equal(["time"], info.GetProperty("capabilities").EnumerateArray().Select(one => one.GetString()));
        Assert.Equal("match-1", info.GetProperty("sessionId").GetString());
        Assert.Equal(
            [
                "/step", "/observation/2", "/observation/0", "/terrain", "/units/2", "/creep/2", "/visibility/2", "/units/0", "/creep/0",
                "/visibility/0",
            ],
            await client.TopicsAsync());
        match.End();
        Assert.Equal(WebSocketCloseStatus.NormalClosure, await client.EndAsync());
    }

    [Theory]
    [InlineData("Origin", "https://app.example.com")]
    [InlineData("Host", "rebound.example.com")]
    public async Task Foreign_pages_and_hosts_get_nothing(string header, string value)
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var socket = new ClientWebSocket();
        socket.Options.AddSubProtocol(Sdk);
        socket.Options.SetRequestHeader(header, value);
        await Assert.ThrowsAsync<WebSocketException>(() => socket.ConnectAsync(new Uri($"ws://{match.Authority}/"), Ct));
        Assert.Empty(match.Hub.Subscribers);
    }

    [Fact]
    public async Task Frames_come_as_they_are_and_as_a_scene_while_they_are_wanted()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var client = await FoxgloveSocketClient.ConnectAsync(match, Sdk);
        await client.TopicsAsync();
        await client.SubscribeAsync((1, "/observation/2"), (2, "/units/2"), (3, "/visibility/2"));
        await client.HandledAsync();
        var bytes = Seen(1).ToByteArray();
        await match.PublishAsync(bytes);
        var (id, time, message) = await client.MessageAsync();
        Assert.Equal(1u, id);
        Assert.Equal(bytes, message);
        Assert.InRange(
            DateTimeOffset.UnixEpoch.AddTicks((long)time / 100), DateTimeOffset.UtcNow.AddMinutes(-5), DateTimeOffset.UtcNow.AddMinutes(5));
        (id, var sceneTime, message) = await client.MessageAsync();
        var scene = SceneUpdate.Parser.ParseFrom(message);
        Assert.Equal((2u, time, "7"), (id, sceneTime, Assert.Single(scene.Entities).Id));
        (id, _, message) = await client.MessageAsync();
        Assert.Equal((3u, 2u), (id, FoxgloveSchemas.Grid.Parser.ParseFrom(message).ColumnCount));

        // The grid has not changed, so it is not sent again. Topics without a subscription are not sent.
        await client.SendAsync("""{"op": "unsubscribe", "subscriptionIds": [1]}""");
        await client.HandledAsync();
        await match.PublishAsync(Seen(2).ToByteArray());
        Assert.Equal(2u, (await client.MessageAsync()).Id);

        // A new subscription gets the newest message even if nothing is published.
        await client.SubscribeAsync((9, "/creep/2"), (10, "/visibility/2"), (11, "/observation/2"), (12, "/nothing"));
        Assert.Contains("subscription 10", (await client.TextAsync("status")).GetProperty("message").GetString(), StringComparison.Ordinal);
        Assert.Equal(11u, (await client.MessageAsync()).Id);
        Assert.Contains("does not exist", (await client.TextAsync("status")).GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("no JSON", false)]
    [InlineData("""{"subscriptions": []}""", false)]
    [InlineData("""{"op": "subscribe", "subscriptions": [{"id": -1, "channelId": 1}]}""", false)]
    [InlineData("""{"op": "unsubscribe", "subscriptionIds": ["1"]}""", false)]
    [InlineData("\u0003\u0001", true)]
    [InlineData("", true)]
    public async Task Garbage_ends_that_client_only(string garbage, bool binary)
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var other = await FoxgloveSocketClient.ConnectAsync(match, Sdk);
        await other.TopicsAsync();
        await other.SubscribeAsync((1, "/observation/2"));
        await other.HandledAsync();
        using var client = await FoxgloveSocketClient.ConnectAsync(match, Sdk);
        await client.TopicsAsync();
        await client.SendAsync(garbage, binary);
        Assert.Equal(2, (await client.TextAsync("status")).GetProperty("level").GetInt32());
        Assert.Equal((WebSocketCloseStatus)(4000 + StatusCode.InvalidArgument), await client.EndAsync());
        await match.PublishAsync(Seen(1).ToByteArray());
        Assert.Equal(1u, (await other.MessageAsync()).Id);
    }

    [Fact]
    public async Task A_token_opens_its_side_and_nobody_without_one_gets_any()
    {
        var token = TokenStore.NewToken();
        var tokens = TokenStore.Empty.With(token, new Identity("mine", Roles.Watch, WebSocketMatch.Side));
        await using var match = await WebSocketMatch.StartAsync(tokens, apart: true);
        using var mine = await FoxgloveSocketClient.ConnectAsync(match, Sdk, $"/?token={token}");
        Assert.DoesNotContain("/observation/0", await mine.TopicsAsync());
        using var stranger = await FoxgloveSocketClient.ConnectAsync(match, Sdk);
        Assert.Contains("token", (await stranger.TextAsync("status")).GetProperty("message").GetString(), StringComparison.Ordinal);
        Assert.Equal((WebSocketCloseStatus)(4000 + StatusCode.Unauthenticated), await stranger.EndAsync());
    }

    [Fact]
    public async Task A_live_match_is_not_controlled()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var client = await FoxgloveSocketClient.ConnectAsync(match, Sdk);
        await client.TopicsAsync();
        var request = new byte[19];
        request[0] = 3;
        await client.SendAsync(Encoding.Latin1.GetString(request), binary: true);
        Assert.Contains("playback", (await client.TextAsync("status")).GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_playback_is_controlled_by_who_may()
    {
        var (watcher, controller) = (TokenStore.NewToken(), TokenStore.NewToken());
        using var hub = new Hub(new HubOptions());
        await using var server = await BridgeServer.StartAsync(
            hub,
            new BridgeServerOptions
            {
                GrpcAddress = null,
                WebAddress = "127.0.0.1:0",
                Tokens = TokenStore.Empty.With(watcher, new Identity("watcher", Roles.Watch))
                    .With(controller, new Identity("controller", Roles.Watch | Roles.Control)),
            },
            Ct);
        var played = new Played();
        hub.Announce(new V1.MatchDescription { MatchId = "m", Recording = "m.mcap", Perspectives = { 0u } }, played, played);
        using var watching = await FoxgloveSocketClient.ConnectAsync(server.WebAddress, Sdk, $"/?token={watcher}");
        Assert.Equal(1, (await watching.TextAsync("serverInfo")).GetProperty("capabilities").GetArrayLength());
        await watching.SendAsync(Request(pause: true, 2, 0), binary: true);
        Assert.Contains("control", (await watching.TextAsync("status")).GetProperty("message").GetString(), StringComparison.Ordinal);
        Assert.Empty(played.Asked);

        using var client = await FoxgloveSocketClient.ConnectAsync(server.WebAddress, Sdk, $"/?token={controller}");
        var info = await client.TextAsync("serverInfo");
        Assert.Equal(2, info.GetProperty("capabilities").GetArrayLength());
        Assert.Equal("""{"sec":10,"nsec":0}""", info.GetProperty("dataEndTime").GetRawText());
        await client.TopicsAsync();
        await client.SendAsync(Request(pause: true, 2, 5_000_000_000), binary: true);
        byte[] state;
        do
        {
            state = await client.BinaryAsync();
        }
        while (state[0] != 5 || state[^1] != (byte)'x');

        // The message reports the jump together with the frame.
        Assert.Equal((1, 5_000_000_000ul, 2f, 0), (state[1], BitConverter.ToUInt64(state, 2), BitConverter.ToSingle(state, 10), state[14]));
        Assert.Equal(
            [new V1.ControlRequest { Pause = true }, new() { Rate = 44.8 }, new() { SeekLoop = 112 }],
            played.Asked);
    }

    [Fact]
    public async Task After_a_move_all_is_shown_again()
    {
        using var hub = new Hub(new HubOptions());
        await using var server = await BridgeServer.StartAsync(
            hub, new BridgeServerOptions { GrpcAddress = null, WebAddress = "127.0.0.1:0" }, Ct);
        var played = new Played();
        var height = new ImageData { BitsPerPixel = 8, Size = new Size2DI { X = 2, Y = 1 }, Data = ByteString.CopyFrom(127, 127) };
        hub.Announce(
            new V1.MatchDescription
            {
                MatchId = "m",
                Recording = "m.mcap",
                Perspectives = { 1u, 2u },
                GameInfo = new ResponseGameInfo { StartRaw = new StartRaw { TerrainHeight = height } },
            },
            played, played);
        using var client = await FoxgloveSocketClient.ConnectAsync(server.WebAddress, Sdk, "/");
        await client.TopicsAsync();
        await client.SubscribeAsync((1, "/visibility/1"), (2, "/visibility/2"), (3, "/terrain"));
        Assert.Equal(3u, (await client.MessageAsync()).Id);
        await client.HandledAsync();
        await PublishAsync(1, 100);
        Assert.Equal(1u, (await client.MessageAsync()).Id);
        await PublishAsync(2, 100);
        Assert.Equal(2u, (await client.MessageAsync()).Id);

        // The second perspective's grid arrives before the viewer clears its data, and again after that.
        await PublishAsync(2, 50, isJump: true);
        Assert.Equal(2u, (await client.MessageAsync()).Id);
        await PublishAsync(1, 50, isJump: true);
        var state = await client.BinaryAsync();
        Assert.Equal((5, GameTime.FromLoop(50), 1), (state[0], BitConverter.ToUInt64(state, 2), state[14]));
        var time = await client.BinaryAsync();
        Assert.Equal((2, GameTime.FromLoop(50)), (time[0], BitConverter.ToUInt64(time, 1)));
        Assert.Equal(1u, (await client.MessageAsync()).Id);
        Assert.Equal(3u, (await client.MessageAsync()).Id);
        Assert.Equal(2u, (await client.MessageAsync()).Id);

        ValueTask PublishAsync(uint perspective, uint loop, bool isJump = false)
        {
            var now = MonotonicClock.NowNs;
            var frame = ObservationFrame.Copy(Seen(loop).ToByteArray(), new FrameHeader("m", perspective, loop, loop, now, now));
            frame.Jump = isJump
                ? new V1.PlaybackState { MatchId = "m", LastStep = 224, LastGameLoop = 224, GameLoop = loop, Rate = 22.4 } : null;
            return hub.Publisher.PublishAsync(frame, Ct);
        }
    }

    [Fact]
    public async Task Rows_are_listened_for_while_they_are_wanted()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var client = await FoxgloveSocketClient.ConnectAsync(match, Sdk);
        await client.TopicsAsync();
        Assert.Equal(0, Listeners());
        await client.SubscribeAsync((1, "/step"));
        await client.HandledAsync();
        Assert.Equal(1, Listeners());
        await client.SendAsync("""{"op": "unsubscribe", "subscriptionIds": [1]}""");
        await client.HandledAsync();
        Assert.Equal(0, Listeners());

        int Listeners() =>
            (typeof(HubEvents).GetField(nameof(HubEvents.StepLogged), BindingFlags.NonPublic | BindingFlags.Instance)!
                .GetValue(match.Hub.Events) as Delegate)?.GetInvocationList().Length ?? 0;
    }

    [Fact]
    public async Task A_perspective_takes_a_subscription_while_it_is_wanted()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var client = await FoxgloveSocketClient.ConnectAsync(match, Sdk);
        await client.TopicsAsync();
        for (var time = 0; time < 100; time++)
        {
            await client.SubscribeAsync((1, "/units/0"), (2, "/creep/0"));
            await client.SendAsync("""{"op": "unsubscribe", "subscriptionIds": [2]}""");
            await client.HandledAsync();
            Assert.Equal(2, match.Hub.Subscribers.Count);
            await client.SendAsync("""{"op": "unsubscribe", "subscriptionIds": [1]}""");
            await client.HandledAsync();
            Assert.Single(match.Hub.Subscribers);
        }

        await client.SubscribeAsync((3, "/observation/2"));
        await client.HandledAsync();
        await match.PublishAsync(Seen(1).ToByteArray());
        Assert.Equal(3u, (await client.MessageAsync()).Id);
        match.End();
        Assert.Equal(WebSocketCloseStatus.NormalClosure, await client.EndAsync());
    }

    [Fact]
    public async Task An_invalid_observation_ends_subscribers_of_its_scene()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var client = await FoxgloveSocketClient.ConnectAsync(match, Sdk);
        await client.TopicsAsync();
        await client.SubscribeAsync((1, "/observation/2"));
        await client.HandledAsync();
        await match.PublishAsync([0xff]);
        Assert.Equal([0xff], (await client.MessageAsync()).Message);
        await client.SubscribeAsync((2, "/units/2"));
        Assert.Contains("bridge", (await client.TextAsync("status")).GetProperty("message").GetString(), StringComparison.Ordinal);
        Assert.Equal((WebSocketCloseStatus)4013, await client.EndAsync());
    }

    [Fact]
    public async Task A_client_that_reads_nothing_holds_no_match_up()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var client = await FoxgloveSocketClient.ConnectAsync(match, Sdk);
        await client.TopicsAsync();
        await client.SubscribeAsync((1, "/observation/2"), (2, "/units/2"));
        for (var step = 0u; step < 100; step++)
        {
            var frame = Seen(step);
            frame.Observation.RawData.MapState.Creep = new ImageData { Data = ByteString.CopyFrom(new byte[1 << 20]) };
            await match.PublishAsync(frame.ToByteArray());
        }
    }

    private static string Request(bool pause, float speed, ulong seekNs) => Encoding.Latin1.GetString(
        [3, pause ? (byte)1 : (byte)0, .. BitConverter.GetBytes(speed), 1, .. BitConverter.GetBytes(seekNs), 1, 0, 0, 0, (byte)'x']);

    private static ResponseObservation Seen(uint loop) => new()
    {
        Observation = new Observation
        {
            GameLoop = loop,
            RawData = new ObservationRaw
            {
                Units = { new Unit { Tag = 7, Owner = 1, Pos = new Point { X = 3, Y = 4, Z = 10 }, Radius = 1 } },
                MapState = new MapState
                {
                    Visibility = new ImageData
                    {
                        BitsPerPixel = 8,
                        Size = new Size2DI { X = 2, Y = 1 },
                        Data = ByteString.CopyFrom(0, 2),
                    },
                },
            },
        },
    };
}
