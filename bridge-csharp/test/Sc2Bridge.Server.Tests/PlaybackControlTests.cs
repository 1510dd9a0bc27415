using SC2APIProtocol;
using Sc2Bridge.Server;
using GrpcCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>Control requests to a playback over both transports. Other tests cover their effect.</summary>
public sealed class PlaybackControlTests
{
    [Theory]
    [InlineData("sc2bridge.json.v1")]
    [InlineData("sc2bridge.proto.v1")]
    public async Task Over_a_websocket_requests_count_and_are_answered_in_their_order(string subProtocol)
    {
        await using var served = await Served.StartAsync(recorded: true);
        using var agent = await served.ConnectAsync(subProtocol);
        const int wishes = 100;
        for (var id = 1u; id <= wishes; id++)
        {
            await agent.SendAsync(new PlayRequest { RequestId = id, Control = new ControlRequest { SeekStep = id * 7 } });
        }

        for (var id = 1u; id <= wishes; id++)
        {
            var state = (await agent.ReceiveAsync())!;
            Assert.Equal((id, id * 7), (state.RequestId, (uint)state.Control.Playback.Step));
        }

        await agent.SendAsync(new PlayRequest { RequestId = 3, Control = new ControlRequest { SeekLoop = 9 } });
        var refused = (await agent.ReceiveAsync())!;
        Assert.Equal((StatusCode.InvalidArgument, 3u, false), (refused.Error.Code, refused.RequestId, refused.Error.Fatal));
    }

    [Fact]
    public async Task Over_grpc_it_is_a_call_of_its_own_or_a_message_of_Play()
    {
        await using var served = await Served.StartAsync(recorded: true);
        using var client = new GrpcClient(served.Server.GrpcAddress);
        var state = await client.ControlAsync(new ControlRequest { SeekStep = 12 }, cancellationToken: Ct);
        Assert.Equal(12ul, state.Playback.Step);
        await RefusedAsync(client, new ControlRequest { SeekLoop = 9 }, GrpcCode.InvalidArgument, "no loops");
        await RefusedAsync(client, new ControlRequest { MatchId = "other" }, GrpcCode.NotFound, "does not run");

        using var stream = client.Play(cancellationToken: Ct);
        await stream.RequestStream.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest() });
        await stream.RequestStream.SendAsync(new PlayRequest { RequestId = 7, Control = new ControlRequest { SeekStep = 12 } });
        PlayResponse? answer;
        do
        {
            answer = await stream.ResponseStream.NextAsync();
        }
        while (answer is { Control: null });
        Assert.Equal((7u, 12ul), (answer!.RequestId, answer.Control.Playback.Step));
    }

    [Theory]
    [InlineData("sc2bridge.json.v1")]
    [InlineData("sc2bridge.proto.v1")]
    public async Task A_playback_that_fails_answers_each_time(string subProtocol)
    {
        await using var served = await Served.StartAsync(recorded: true);
        using var agent = await served.ConnectAsync(subProtocol);
        for (var id = 1u; id <= 2 * SessionLimits.MostPendingCalls; id++)
        {
            await agent.SendAsync(new PlayRequest { RequestId = id, Control = new ControlRequest { Rate = 7 } });
            var failed = (await agent.ReceiveAsync())!;
            Assert.Equal((StatusCode.Unavailable, id, false), (failed.Error.Code, failed.RequestId, failed.Error.Fatal));
        }
    }

    [Fact]
    public async Task A_live_match_refuses_over_both()
    {
        await using var served = await Served.StartAsync(recorded: false);
        using var client = new GrpcClient(served.Server.GrpcAddress);
        await RefusedAsync(
            client, new ControlRequest { Pause = true }, GrpcCode.FailedPrecondition, "is not played from a recording");
        using var agent = await served.ConnectAsync("sc2bridge.json.v1");
        await agent.SendAsync(new PlayRequest { RequestId = 4, Control = new ControlRequest { Pause = true } });
        var refused = (await agent.ReceiveAsync())!;
        Assert.Equal((StatusCode.FailedPrecondition, 4u, false), (refused.Error.Code, refused.RequestId, refused.Error.Fatal));
        Assert.Contains("is not played from a recording", refused.Error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("""{"control": {"pause": true, "step": 3}}""")]
    [InlineData("""{"control": {"rate": "fast"}}""")]
    [InlineData("""{"control": {"seekLoop": -1}}""")]
    [InlineData("""{"control": {"seekLoop": 4294967296}}""")]
    [InlineData("""{"control": {"rewind": 3}}""")]
    [InlineData("""{"control": [3]}""")]
    public async Task Garbage_in_its_place_is_refused_as_any(string text)
    {
        await using var served = await Served.StartAsync(recorded: true);
        using var agent = await served.ConnectAsync("sc2bridge.json.v1");
        await agent.SendAsync(System.Text.Encoding.UTF8.GetBytes(text));
        Assert.Contains("control", await agent.FailsAsync(StatusCode.InvalidArgument), StringComparison.Ordinal);
        Assert.Empty(served.Asked);
    }

    [Fact]
    public async Task Subscribers_of_both_get_a_jump_before_its_frame()
    {
        await using var served = await Served.StartAsync(recorded: true);
        using var client = new GrpcClient(served.Server.GrpcAddress);
        using var stream = client.Play(cancellationToken: Ct);
        await stream.RequestStream.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest() });
        using var agent = await served.ConnectAsync("sc2bridge.json.v1");
        await agent.SubscribeAsync();
        await served.Hub.WaitForSubscribersAsync(2, Ct);
        Func<Task<V1.PlayResponse?>>[] readers = [stream.ResponseStream.NextAsync, agent.ReceiveAsync];
        await served.PublishAsync(50, jumps: false);
        foreach (var read in readers)
        {
            // A frame from before the jump that still waits is dropped.
            Assert.Equal(50ul, (await read())!.Frame.Step);
        }

        await served.PublishAsync(7, jumps: true);
        foreach (var read in readers)
        {
            var jump = (await read())!;
            Assert.Equal((7ul, 0u), (jump.Playback.Step, jump.RequestId));
            Assert.Equal(7ul, (await read())!.Frame.Step);
        }
    }

    private static async Task RefusedAsync(GrpcClient client, ControlRequest request, GrpcCode code, string why)
    {
        var refused = await client.ControlAsync(request, cancellationToken: Ct).RefusedAsync(code);
        Assert.Contains(why, refused.Status.Detail, StringComparison.Ordinal);
    }

    /// <summary>A match on both transports, with a playback that seeks to any step but to no loop.</summary>
    private sealed class Served : IAsyncDisposable, IGameRequests, IPlayback
    {
        private const string Match = "match-1";

        private Served(Hub hub, BridgeServer server, bool recorded)
        {
            Hub = hub;
            Server = server;
            hub.Announce(new MatchDescription { MatchId = Match, Perspectives = { 0u } }, this, recorded ? this : null);
        }

        public Hub Hub { get; }

        public BridgeServer Server { get; }

        public List<ControlRequest> Asked { get; } = [];

        public static async Task<Served> StartAsync(bool recorded)
        {
            var hub = new Hub(new HubOptions());
            var options = new BridgeServerOptions { GrpcAddress = "127.0.0.1:0", WebAddress = "127.0.0.1:0" };
            return new Served(hub, await BridgeServer.StartAsync(hub, options, Ct), recorded);
        }

        public Task<AgentSocket> ConnectAsync(string subProtocol) =>
            AgentSocket.ConnectAsync($"ws://{Server.WebAddress}/v1", subProtocol);

        public ValueTask PublishAsync(ulong step, bool jumps)
        {
            var observation = new ResponseObservation { Observation = new Observation { GameLoop = (uint)step } };
            var frame = Streaming.ObservationFrame.Copy(
                observation.ToByteArray(), new FrameHeader(Match, 0, step, (uint)step, 0, 0));
            frame.Jump = jumps ? new PlaybackState { MatchId = Match, Step = step } : null;
            return Hub.Publisher.PublishAsync(frame, Ct);
        }

        public PlaybackState Control(ControlRequest request)
        {
            if (request.CommandCase == ControlRequest.CommandOneofCase.SeekLoop)
            {
                throw new RequestRefusedException(StatusCode.InvalidArgument, "there are no loops");
            }

            if (request.CommandCase == ControlRequest.CommandOneofCase.Rate)
            {
                throw new InvalidOperationException("a defect of the playback");
            }

            Asked.Add(request);
            return new PlaybackState { MatchId = Match, Step = request.SeekStep };
        }

        public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
            Task.FromResult(new Response());

        public async ValueTask DisposeAsync()
        {
            Hub.Dispose();
            await Server.DisposeAsync();
        }
    }
}
