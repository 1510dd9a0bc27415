using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Server;
using Sc2Bridge.V1;
using Event = Sc2Bridge.V1.Event;

namespace Sc2Bridge.Server.Tests;

/// <summary>Every kind of call, by the in-tree client.</summary>
public sealed class GrpcCallTests
{
    private const string Describe = "/sc2bridge.v1.Bridge/Describe";
    private const string Subscribe = "/sc2bridge.v1.Bridge/Subscribe";
    private const string Play = "/sc2bridge.v1.Bridge/Play";
    private const string Request = "/sc2bridge.v1.Bridge/Request";

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_unary_call_answers_over_tcp_and_over_a_unix_socket(bool unix)
    {
        await using var match = await ServedMatch.StartAsync(unix);
        using var client = match.Client();
        var whole = await client.UnaryAsync(
            Describe, new DescribeRequest(), MatchDescription.Parser, cancelled: ServedMatch.Token);
        Assert.Equal(match.Description, whole);
        var thin = await client.UnaryAsync(
            Describe,
            new DescribeRequest { WithoutData = true, WithoutGameInfo = true },
            MatchDescription.Parser,
            new GrpcCallOptions { Gzip = true },
            ServedMatch.Token);
        Assert.Null(thin.Data);
        Assert.Null(thin.GameInfo);
        Assert.Equal("Cinder Fortress LE", thin.MapName);
        Assert.NotNull(match.Description.Data);
    }

    [Fact]
    public async Task A_large_request_and_its_answer_pass()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        var request = new GameRequest { Tag = 7, Request = new Request { Query = new RequestQuery() } };
        for (var count = 0; count < 100_000; count++)
        {
            request.Request.Query.Pathing.Add(
                new RequestQueryPathing { UnitTag = 4_300_000_000, EndPos = new Point2D { X = count, Y = 1 } });
        }

        Assert.True(request.CalculateSize() > 1 << 20);
        var response = await client.UnaryAsync(Request, request, GameResponse.Parser, cancelled: ServedMatch.Token);
        Assert.Equal(7u, response.Tag);
        Assert.Equal(100_000, response.Response.Query.Pathing.Count);
    }

    [Fact]
    public async Task A_request_is_recorded_under_the_name_that_it_bears()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        var asked = new List<string>();
        match.Hub.News.Requested += request => asked.Add(request.Record.Agent);
        var request = new GameRequest { Agent = "a", Request = new Request { Query = new RequestQuery() } };
        await client.UnaryAsync(Request, request, GameResponse.Parser, cancelled: ServedMatch.Token);
        Assert.Equal(["a"], asked);
        request.Agent = "a\n";
        var refused = await Assert.ThrowsAsync<GrpcException>(
            () => client.UnaryAsync(Request, request, GameResponse.Parser, cancelled: ServedMatch.Token));
        Assert.Equal(GrpcCode.InvalidArgument, refused.Code);
    }

    [Fact]
    public async Task Times_of_the_last_step_are_taken_behind_the_matchs_end()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        var reported = new List<ulong>();
        match.Hub.News.TimesReported += report => reported.Add(report.Times.Step);
        using var call = client.Open(Play, cancelled: ServedMatch.Token);
        await call.WriteAsync(new AgentMessage { Subscribe = new SubscribeRequest { ReportsTimes = true } });
        await match.Hub.WaitForSubscribersAsync(1, ServedMatch.Token);
        await match.PublishAsync(0);
        match.End();
        Assert.NotNull((await call.ReadAsync(Event.Parser))!.Frame);
        Assert.NotNull((await call.ReadAsync(Event.Parser))!.MatchEnd);
        await call.WriteAsync(
            new AgentMessage { Acknowledge = new Acknowledgement { Times = { new StepTimes { Step = 0 } } } });
        Assert.Null(await call.ReadAsync(Event.Parser));
        Assert.Equal([0ul], reported);
    }

    [Fact]
    public async Task A_message_beyond_the_bound_is_refused()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Open(Request, cancelled: ServedMatch.Token);
        await call.WriteRawAsync(new byte[] { 0, 0x00, 0x40, 0x00, 0x01 });
        await ExpectAsync(GrpcCode.ResourceExhausted, call);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public async Task Observations_arrive_byte_for_byte(bool gzip, bool unix)
    {
        var observations = Observations.AtHand();
        await using var match = await ServedMatch.StartAsync(unix);
        using var client = match.Client();
        using var call = client.Open(Subscribe, new GrpcCallOptions { Gzip = gzip }, cancelled: ServedMatch.Token);
        await call.WriteAsync(new SubscribeRequest { Agent = "reader" });
        call.Complete();
        await match.Hub.WaitForSubscribersAsync(1, ServedMatch.Token);
        long size = 0;
        foreach (var (name, bytes) in observations)
        {
            size += bytes.Length;
            await match.PublishAsync(bytes);
            Assert.True(await call.ReadAsync(message => Assert.True(
                EndsWith(message, bytes), $"{name} arrived with other bytes.")));
        }

        match.End();
        var last = await call.ReadAsync(Event.Parser);
        Assert.Equal("finished", last?.MatchEnd.Reason);
        Assert.Null(await call.ReadAsync(Event.Parser));
        Assert.True(gzip ? call.BytesRead < size : call.BytesRead > size);
    }

    [Theory]
    [InlineData(Compression.GroupZstd, false)]
    [InlineData(Compression.GroupZstd, true)]
    [InlineData(Compression.Zstd, true)]
    public async Task What_is_compressed_is_not_compressed_again(Compression compression, bool gzip)
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Open(Subscribe, new GrpcCallOptions { Gzip = gzip }, cancelled: ServedMatch.Token);
        await call.WriteAsync(new SubscribeRequest { Compression = compression });
        call.Complete();
        await match.Hub.WaitForSubscribersAsync(1, ServedMatch.Token);
        using var decoder = new GroupDecoder();
        for (var step = 0u; step < 70; step++)
        {
            await match.PublishAsync(step, 100_000);
            var frame = (await call.ReadAsync(Event.Parser))!.Frame;
            Assert.Equal(step, frame.Step);
            if (compression == Compression.GroupZstd)
            {
                var content = decoder.Decode(frame.Block).ToArray();
                Assert.Equal(ServedMatch.Observation(step, 100_000).ToByteArray(), content);
            }
        }

        match.End();
        Assert.NotNull((await call.ReadAsync(Event.Parser))!.MatchEnd);
        Assert.InRange(call.BytesRead, 1, 70_000);
    }

    [Fact]
    public async Task Play_goes_on_after_the_client_has_sent_its_last_message()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Open(Play, cancelled: ServedMatch.Token);
        await call.WriteAsync(new AgentMessage { Subscribe = new SubscribeRequest { Policy = Policy.Every } });
        await call.WriteAsync(new AgentMessage { Clock = new Clock { AgentNs = 42 } });
        var clock = (await call.ReadAsync(Event.Parser))!.Clock;
        Assert.Equal(42, clock.AgentNs);
        Assert.InRange(clock.BridgeNs, 1, Streaming.MonotonicClock.NowNs);
        await match.PublishAsync(0);
        Assert.Equal(0ul, (await call.ReadAsync(Event.Parser))!.Frame.Step);
        await call.WriteAsync(new AgentMessage { Acknowledge = new Acknowledgement { Step = 0 } });
        call.Complete();
        await match.PublishAsync(1);
        Assert.Equal(1ul, (await call.ReadAsync(Event.Parser))!.Frame.Step);
        match.End();
        Assert.NotNull((await call.ReadAsync(Event.Parser))!.MatchEnd);
        Assert.Null(await call.ReadAsync(Event.Parser));
    }

    [Fact]
    public async Task A_lockstep_agent_that_ends_its_side_holds_the_game_no_longer()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Open(Play, cancelled: ServedMatch.Token);
        await call.WriteAsync(new AgentMessage { Subscribe = new SubscribeRequest { Policy = Policy.Lockstep } });
        await match.Hub.WaitForSubscribersAsync(1, ServedMatch.Token);
        var published = match.PublishAsync(0).AsTask();
        Assert.Equal(0ul, (await call.ReadAsync(Event.Parser))!.Frame.Step);
        Assert.False(published.IsCompleted);
        call.Complete();
        await published;
        await match.PublishAsync(1);
        Assert.Equal(1ul, (await call.ReadAsync(Event.Parser))!.Frame.Step);
    }

    [Fact]
    public async Task Lockstep_on_a_stream_without_answers_is_refused()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Open(Subscribe, cancelled: ServedMatch.Token);
        await call.WriteAsync(new SubscribeRequest { Policy = Policy.Lockstep });
        call.Complete();
        var refused = await ExpectAsync(GrpcCode.InvalidArgument, call);
        Assert.Contains("call Play", refused.Message, StringComparison.Ordinal);
        await match.PublishAsync(0);
    }

    [Fact]
    public async Task Play_without_a_subscription_first_is_refused()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Open(Play, cancelled: ServedMatch.Token);
        await call.WriteAsync(new AgentMessage { Clock = new Clock() });
        await ExpectAsync(GrpcCode.InvalidArgument, call);
        using var empty = client.Open(Play, cancelled: ServedMatch.Token);
        empty.Complete();
        await ExpectAsync(GrpcCode.InvalidArgument, empty);
    }

    [Fact]
    public async Task A_flood_ends_with_its_reason_which_is_told_to_who_runs_the_match_too()
    {
        await using var match = await ServedMatch.StartAsync();
        var notices = new List<string>();
        match.Hub.News.Noticed += notices.Add;
        using var client = match.Client();
        using var call = client.Open(Play, cancelled: ServedMatch.Token);
        await call.WriteAsync(new AgentMessage { Subscribe = new SubscribeRequest { Agent = "flood" } });
        var refused = ExpectAsync(GrpcCode.ResourceExhausted, call);
        while (!refused.IsCompleted)
        {
            try
            {
                await call.WriteAsync(new AgentMessage { Acknowledge = new Acknowledgement() });
            }
            catch (Exception) when (!ServedMatch.Token.IsCancellationRequested)
            {
                // The call has ended.
                break;
            }
        }

        Assert.Contains("more than 10000 messages", (await refused).Message, StringComparison.Ordinal);
        Assert.StartsWith("agent 'flood' was dropped at step 0: ", Assert.Single(notices), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_only_watches_is_told_that_it_cannot_act_and_hears_on()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Open(Play, cancelled: ServedMatch.Token);
        await call.WriteAsync(new AgentMessage { Subscribe = new SubscribeRequest() });
        await call.WriteAsync(new AgentMessage { Actions = new Actions { Tag = 7 } });

        // The bridge has read that when it answers what came after it.
        await call.WriteAsync(new AgentMessage { Clock = new Clock() });
        Assert.NotNull((await call.ReadAsync(Event.Parser))!.Clock);
        await match.PublishAsync(0);
        var told = (await call.ReadAsync(Event.Parser))!.Frame.Outcomes.Single();
        Assert.Equal((7u, 9u), (told.Tag, told.Error.Code));
        using var oneWay = client.Open("/sc2bridge.v1.Bridge/Subscribe", cancelled: ServedMatch.Token);
        await oneWay.WriteAsync(new SubscribeRequest { CanAct = true });
        oneWay.Complete();
        await ExpectAsync(GrpcCode.InvalidArgument, oneWay);
    }

    [Fact]
    public async Task An_error_before_the_first_byte_stands_in_the_headers_in_any_script()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Open(Request, cancelled: ServedMatch.Token);
        await call.WriteAsync(new GameRequest { Request = new Request { Step = new RequestStep() } });
        call.Complete();
        var response = await call.Response;
        Assert.True(response.Headers.Contains("grpc-status"));
        await Assert.ThrowsAsync<GrpcException>(() => call.ReadAsync(GameResponse.Parser));

        // What the game's side says travels as it is, where the hub lets the request through.
        var request = new GameRequest { Request = new Request { AvailableMaps = new RequestAvailableMaps() } };
        var refused = await Assert.ThrowsAsync<GrpcException>(
            () => client.UnaryAsync(Request, request, GameResponse.Parser, cancelled: ServedMatch.Token));
        Assert.Equal(GrpcCode.FailedPrecondition, refused.Code);
        Assert.Equal(ServedMatch.Refusal, refused.Message);
    }

    [Fact]
    public async Task The_servers_own_deadline_ends_a_stream_and_a_unary_call()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        var soon = new GrpcCallOptions { Timeout = TimeSpan.FromMilliseconds(300) };
        using var call = client.Open(Subscribe, soon, ServedMatch.Token);
        await call.WriteAsync(new SubscribeRequest());
        call.Complete();
        await ExpectAsync(GrpcCode.DeadlineExceeded, call);
        await match.WaitUntilNobodySubscribesAsync();
        var request = new GameRequest { Request = new Request { Ping = new RequestPing() } };
        var ended = await Assert.ThrowsAsync<GrpcException>(() => client.UnaryAsync(
            Request, request, GameResponse.Parser, new GrpcCallOptions { Timeout = TimeSpan.FromMilliseconds(50) }, ServedMatch.Token));
        Assert.Equal(GrpcCode.DeadlineExceeded, ended.Code);
    }

    [Fact]
    public async Task A_call_that_its_client_cancels_frees_its_subscription()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Open(Subscribe, cancelled: ServedMatch.Token);
        await call.WriteAsync(new SubscribeRequest());
        call.Complete();
        await match.Hub.WaitForSubscribersAsync(1, ServedMatch.Token);
        await match.PublishAsync(0);
        Assert.NotNull(await call.ReadAsync(Event.Parser));
        call.Cancel();
        await match.WaitUntilNobodySubscribesAsync();
    }

    [Fact]
    public async Task A_hundred_and_fifty_streams_share_one_connection()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        var calls = Enumerable.Range(0, 150).Select(_ => client.Open(Subscribe, cancelled: ServedMatch.Token)).ToList();
        foreach (var call in calls)
        {
            await call.WriteAsync(new SubscribeRequest());
            call.Complete();
        }

        await match.Hub.WaitForSubscribersAsync(150, ServedMatch.Token);
        await match.PublishAsync(0, 10_000);
        match.End();
        foreach (var call in calls)
        {
            Assert.Equal(0ul, (await call.ReadAsync(Event.Parser))!.Frame.Step);
            Assert.NotNull((await call.ReadAsync(Event.Parser))!.MatchEnd);
            Assert.Null(await call.ReadAsync(Event.Parser));
            call.Dispose();
        }
    }

    [Fact]
    public async Task A_server_that_stops_says_so()
    {
        var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Open(Subscribe, cancelled: ServedMatch.Token);
        await call.WriteAsync(new SubscribeRequest());
        call.Complete();
        await match.Hub.WaitForSubscribersAsync(1, ServedMatch.Token);
        await match.DisposeAsync();
        await ExpectAsync(GrpcCode.Unavailable, call);
    }

    internal static async Task<GrpcException> ExpectAsync(GrpcCode code, GrpcClientCall call)
    {
        var ended = await Assert.ThrowsAsync<GrpcException>(async () =>
        {
            while (await call.ReadAsync(_ => { }))
            {
            }
        });
        Assert.Equal(code, ended.Code);
        return ended;
    }

    private static bool EndsWith(ReadOnlySequence<byte> message, byte[] observation) =>
        message.Length > observation.Length
        && message.Slice(message.Length - observation.Length).ToArray().AsSpan().SequenceEqual(observation);
}
