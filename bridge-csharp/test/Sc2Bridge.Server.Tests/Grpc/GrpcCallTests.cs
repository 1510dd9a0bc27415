using Grpc.Core;
using SC2APIProtocol;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Server;
using GrpcCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>Every kind of call, with the official .NET client.</summary>
public sealed class GrpcCallTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_unary_call_answers_over_tcp_and_over_a_unix_socket(bool unix)
    {
        await using var match = await ServedMatch.StartAsync(unix);
        using var client = match.Client();
        var whole = await client.DescribeAsync(new DescribeRequest(), cancellationToken: Ct);
        Assert.Equal(match.Description, whole.Match);
        var asked = new DescribeRequest { WithoutData = true, WithoutGameInfo = true };
        var thin = (await client.DescribeAsync(asked, GrpcClient.Gzip, cancellationToken: Ct)).Match;
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
        var replay = new byte[2 << 20];
        var request = new CallGameRequest { Request = new() { ReplayInfo = new() { ReplayData = ByteString.CopyFrom(replay) } } };
        var response = await client.CallGameAsync(request, cancellationToken: Ct);
        Assert.Equal(Convert.ToBase64String(replay), response.Response.ReplayInfo.MapName);
    }

    [Fact]
    public async Task Times_of_the_last_step_are_taken_behind_the_matchs_end()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        var reported = new List<ulong>();
        match.Hub.Events.TimesReported += report => reported.Add(report.Times.Step);
        using var call = client.Play(cancellationToken: Ct);
        await call.RequestStream.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest { ReportsTimes = true } });
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        await match.PublishAsync(0);
        match.End();
        Assert.NotNull((await call.ResponseStream.NextAsync())!.Frame);
        Assert.NotNull((await call.ResponseStream.NextAsync())!.MatchEnd);
        await call.RequestStream.SendAsync(
            new PlayRequest { Acknowledge = new Acknowledgement { Times = { new StepTimes { Step = 0 } } } });
        Assert.Null(await call.ResponseStream.NextAsync());
        Assert.Equal([0ul], reported.Of(match.Hub));
    }

    [Fact]
    public async Task A_message_beyond_the_bound_is_refused()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        var refused = await RawCall.SendAsync(match, "CallGame", [0, 0x00, 0x40, 0x00, 0x01]);
        Assert.Equal(GrpcCode.ResourceExhausted, refused.StatusCode);
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
        using var call = client.SubscribeBytes(new SubscribeRequest { Agent = "reader" }, gzip ? GrpcClient.Gzip : null);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        long size = 0;
        await call.ResponseStream.NextAsync();
        foreach (var (name, bytes) in observations)
        {
            size += bytes.Length;
            await match.PublishAsync(bytes);
            Assert.True(
                (await call.ResponseStream.NextAsync())!.AsSpan().EndsWith(bytes), $"{name} arrived with other bytes.");
        }

        match.End();
        var last = V1.PlayResponse.Parser.ParseFrom(await call.ResponseStream.NextAsync());
        Assert.Equal(EndReason.Finished, last.MatchEnd.Reason);
        Assert.Null(await call.ResponseStream.NextAsync());
        Assert.True(gzip ? client.BytesReceived < size : client.BytesReceived > size);
    }

    [Theory]
    [InlineData(Compression.GroupZstd, false)]
    [InlineData(Compression.GroupZstd, true)]
    [InlineData(Compression.Zstd, true)]
    public async Task Compressed_frames_are_not_compressed_again(Compression compression, bool gzip)
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Subscribe(
            new SubscribeRequest { Compression = compression }, gzip ? GrpcClient.Gzip : null,
            cancellationToken: Ct);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        using var decoder = new GroupDecoder();
        for (var step = 0u; step < 70; step++)
        {
            await match.PublishAsync(step, 100_000);
            var frame = (await call.ResponseStream.NextAsync())!.Frame;
            Assert.Equal(step, frame.Step);
            if (compression == Compression.GroupZstd)
            {
                var content = decoder.Decode(frame.Block).ToArray();
                Assert.Equal(ServedMatch.Observation(step, 100_000).ToByteArray(), content);
            }
        }

        match.End();
        Assert.NotNull((await call.ResponseStream.NextAsync())!.MatchEnd);
        Assert.InRange(client.BytesReceived, 1, 70_000);
    }

    [Fact]
    public async Task Play_goes_on_after_the_client_has_sent_its_last_message()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Play(cancellationToken: Ct);
        await call.RequestStream.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest { Policy = Policy.Every } });
        await call.RequestStream.SendAsync(new PlayRequest { Clock = new Clock { AgentNs = 42 } });
        var clock = (await call.ResponseStream.NextAsync())!.Clock;
        Assert.Equal(42, clock.AgentNs);
        Assert.InRange(clock.BridgeNs, 1, Streaming.MonotonicClock.NowNs);
        await match.PublishAsync(0);
        Assert.Equal(0ul, (await call.ResponseStream.NextAsync())!.Frame.Step);
        await call.RequestStream.SendAsync(new PlayRequest { Acknowledge = new Acknowledgement { Step = 0 } });
        await call.RequestStream.CompleteAsync();
        await match.PublishAsync(1);
        Assert.Equal(1ul, (await call.ResponseStream.NextAsync())!.Frame.Step);
        match.End();
        Assert.NotNull((await call.ResponseStream.NextAsync())!.MatchEnd);
        Assert.Null(await call.ResponseStream.NextAsync());
    }

    [Fact]
    public async Task A_lockstep_agent_that_ends_its_side_holds_the_game_no_longer()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Play(cancellationToken: Ct);
        await call.RequestStream.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest { Policy = Policy.Lockstep } });
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        var published = match.PublishAsync(0).AsTask();
        Assert.Equal(0ul, (await call.ResponseStream.NextAsync())!.Frame.Step);
        Assert.False(published.IsCompleted);
        await call.RequestStream.CompleteAsync();
        await published;
        await match.PublishAsync(1);
        Assert.Equal(1ul, (await call.ResponseStream.NextAsync())!.Frame.Step);
    }

    [Fact]
    public async Task Play_without_a_message_is_refused()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var empty = client.Play(cancellationToken: Ct);
        await empty.RequestStream.CompleteAsync();
        await empty.ResponseStream.EndsWithAsync(GrpcCode.InvalidArgument);
    }

    [Fact]
    public async Task Answers_come_though_the_client_has_ended_its_side_and_never_subscribed()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Play(cancellationToken: Ct);
        await call.RequestStream.SendAsync(new PlayRequest { RequestId = 1, Describe = new DescribeRequest() });
        await call.RequestStream.SendAsync(new PlayRequest { RequestId = 2, Status = new StatusRequest() });
        await call.RequestStream.CompleteAsync();
        var answers = new[] { await call.ResponseStream.NextAsync(), await call.ResponseStream.NextAsync() };
        Assert.Equal([1u, 2u], answers.Select(answer => answer!.RequestId).Order());
        Assert.All(answers, answer => Assert.Null(answer!.Error));
        Assert.Null(await call.ResponseStream.NextAsync());
    }

    [Fact]
    public async Task A_flood_ends_with_its_reason_which_is_reported_to_the_person_who_runs_the_match_too()
    {
        await using var match = await ServedMatch.StartAsync();
        var notices = new List<string>();
        match.Hub.Events.Noticed += notices.Add;
        using var client = match.Client();
        using var call = client.Play(cancellationToken: Ct);
        await call.RequestStream.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest { Agent = "flood" } });
        var refused = call.ResponseStream.EndsWithAsync(GrpcCode.ResourceExhausted);
        while (!refused.IsCompleted)
        {
            try
            {
                await call.RequestStream.SendAsync(new PlayRequest { Acknowledge = new Acknowledgement() });
            }
            catch (Exception) when (!Ct.IsCancellationRequested)
            {
                // The call has ended.
                break;
            }
        }

        Assert.Contains("more than 10000 messages", (await refused).Status.Detail, StringComparison.Ordinal);
        Assert.StartsWith("agent 'flood' was dropped at step 0: ", Assert.Single(notices.Of(match.Hub)), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_agent_that_only_watches_is_refused_actions_and_goes_on_receiving()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Play(cancellationToken: Ct);
        await call.RequestStream.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest() });
        await call.RequestStream.SendAsync(new PlayRequest { Actions = new Actions { RequestId = 7 } });

        // The bridge has read that message when it answers the next one.
        await call.RequestStream.SendAsync(new PlayRequest { Clock = new Clock() });
        Assert.NotNull((await call.ResponseStream.NextAsync())!.Clock);
        await match.PublishAsync(0);
        var told = (await call.ResponseStream.NextAsync())!.Frame.Outcomes.Single();
        Assert.Equal((7u, 9u), (told.RequestId, told.Error.Code));
    }

    [Fact]
    public async Task An_error_before_the_first_byte_stands_in_the_headers_in_any_script()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        var step = new CallGameRequest { Request = new Request { Step = new RequestStep() } };
        var refusedStep = await RawCall.SendAsync(match, "CallGame", RawCall.Framed(step));
        Assert.True(refusedStep.IsInHeaders);
        Assert.Equal(GrpcCode.PermissionDenied, refusedStep.StatusCode);

        // The text from the game passes unchanged if the hub allows the request.
        var request = new CallGameRequest { Request = new Request { AvailableMaps = new RequestAvailableMaps() } };
        var refused = await client.CallGameAsync(request, cancellationToken: Ct)
            .RefusedAsync(GrpcCode.FailedPrecondition);
        Assert.Equal(ServedMatch.Refusal, refused.Status.Detail);
    }

    [Fact]
    public async Task The_servers_own_deadline_ends_a_stream_and_a_unary_call()
    {
        await using var match = await ServedMatch.StartAsync();

        // A client that does not track the deadline itself: the official clients end their calls by themselves.
        (string, string) soon = ("grpc-timeout", "300m");
        var ended = await RawCall.SendAsync(match, "Play", RawCall.Framed(new PlayRequest { Subscribe = new() }), soon);
        Assert.Equal(GrpcCode.DeadlineExceeded, ended.StatusCode);
        await match.WaitUntilNobodySubscribesAsync();
        var request = new CallGameRequest { Request = new Request { Ping = new RequestPing() } };
        ended = await RawCall.SendAsync(match, "CallGame", RawCall.Framed(request), soon);
        Assert.Equal(GrpcCode.DeadlineExceeded, ended.StatusCode);
    }

    [Fact]
    public async Task A_call_that_its_client_cancels_frees_its_subscription()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Subscribe(new SubscribeRequest(), cancellationToken: Ct);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        await match.PublishAsync(0);
        Assert.NotNull(await call.ResponseStream.NextAsync());
        call.Dispose();
        await match.WaitUntilNobodySubscribesAsync();
    }

    [Fact]
    public async Task A_hundred_and_fifty_streams_share_one_connection()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { Subscriptions = 150 });
        await using var match = await ServedMatch.StartAsync(options => options with { Admission = admission });
        using var client = match.Client();
        var calls = Enumerable.Range(0, 150)
            .Select(_ => client.Subscribe(new SubscribeRequest(), cancellationToken: Ct)).ToList();
        await match.Hub.WaitForSubscribersAsync(150, Ct);
        await match.PublishAsync(0, 10_000);
        match.End();
        foreach (var call in calls)
        {
            Assert.Equal(0ul, (await call.ResponseStream.NextAsync())!.Frame.Step);
            Assert.NotNull((await call.ResponseStream.NextAsync())!.MatchEnd);
            Assert.Null(await call.ResponseStream.NextAsync());
            call.Dispose();
        }
    }

    [Fact]
    public async Task A_server_that_stops_says_so()
    {
        var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var call = client.Subscribe(new SubscribeRequest(), cancellationToken: Ct);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        await match.DisposeAsync();
        await call.ResponseStream.EndsWithAsync(GrpcCode.Unavailable);
    }
}
