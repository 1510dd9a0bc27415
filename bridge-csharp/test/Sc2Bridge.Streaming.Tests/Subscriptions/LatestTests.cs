namespace Sc2Bridge.Streaming.Tests;

public sealed class LatestTests
{
    [Fact]
    public void Only_the_newest_comes_with_what_the_skipped_alone_carried()
    {
        using var match = new TestMatch();
        using var reader = match.Subscribe(Policy.Latest);
        using var whole = match.Subscribe(Policy.Every);
        var random = new Random(3);
        var observations = Enumerable.Range(0, 5).Select(_ => Observations.Make(random)).ToList();
        for (var step = 0; step < 5; step++)
        {
            Assert.True(match.PublishAsync((ulong)step, observations[step]).IsCompletedSuccessfully);
        }

        var frame = reader.ReadFrame();
        Assert.Equal(4u, frame.Step);
        Assert.Equal(observations[4], frame.Observation);
        var skipped = observations.Take(4).ToList();
        var expected = new Skipped { Frames = 4, FirstStep = 0 };
        expected.DeadUnits.AddRange(skipped.SelectMany(o => o.Observation.RawData.Event.DeadUnits));
        expected.Alerts.AddRange(skipped.SelectMany(o => o.Observation.Alerts).Select(alert => (int)alert));
        expected.Actions.AddRange(skipped.SelectMany(o => o.Actions));
        expected.ActionErrors.AddRange(skipped.SelectMany(o => o.ActionErrors));
        expected.Chat.AddRange(skipped.SelectMany(o => o.Chat));
        expected.UpgradeIds.AddRange(
            skipped.SelectMany(o => o.Observation.RawData.Player.UpgradeIds).Distinct().Order());
        Assert.Equal(expected, frame.Skipped);
        Assert.Null(whole.ReadFrame().Skipped);

        // And starts again.
        _ = match.PublishAsync(5, observations[0]);
        Assert.Null(reader.ReadFrame().Skipped);
        Assert.Equal(4, match.Hub.Subscribers.First(state => state.Policy == Policy.Latest).Dropped);
    }

    [Fact]
    public void A_reader_that_never_reads_holds_one_frame_and_a_bounded_sum()
    {
        using var match = new TestMatch();
        using var reader = match.Subscribe(Policy.Latest);
        var observation = new ResponseObservation { Observation = new() { RawData = new() { Event = new() } } };
        observation.Observation.RawData.Event.DeadUnits.AddRange(Enumerable.Range(0, 10_000).Select(i => (ulong)i));
        for (var step = 0ul; step < 200; step++)
        {
            Assert.True(match.PublishAsync(step, observation).IsCompletedSuccessfully);
        }

        Assert.All(match.Frames.SkipLast(1), TestMatch.AssertReleased);
        var frame = reader.ReadFrame();
        Assert.Equal(199u, frame.Skipped.Frames);
        Assert.InRange(frame.Skipped.CalculateSize(), 500_000, 1_100_000);
        Assert.Equal(199u, (ulong)(frame.Skipped.DeadUnits.Count / 10_000) + frame.Skipped.TruncatedFrames);
        _ = match.PublishAsync(200, observation);
        _ = match.PublishAsync(201, observation);
        var next = reader.ReadFrame().Skipped;
        Assert.Equal((1ul, 200ul, 0ul, 10_000), (next.Frames, next.FirstStep, next.TruncatedFrames, next.DeadUnits.Count));
        match.AssertAllReleased();
    }

    [Fact]
    public async Task Bytes_that_are_no_observation_do_no_harm()
    {
        var random = new Random(5);
        using var match = new TestMatch();
        using var reader = match.Subscribe(Policy.Latest, leaveOut: [Part.MapState, Part.Ui]);
        for (var round = 0ul; round < 2000; round++)
        {
            var bytes = new byte[random.Next(60)];
            random.NextBytes(bytes);
            bytes = random.Next(2) == 0 ? bytes : [0x1A, (byte)bytes.Length, .. bytes];
            var frame = ObservationFrame.Copy(bytes, new FrameHeader(TestMatch.Name, 0, round, 0, 0, 0));
            match.Frames.Add(frame);
            await match.Hub.Publisher.PublishAsync(frame, Ct);
        }

        (await reader.Read()).Release();
        match.AssertAllReleased();
    }

    [Fact]
    public async Task Until_it_is_read_a_frame_that_is_ready_can_be_replaced()
    {
        using var match = new TestMatch();
        using var reader = match.Subscribe(Policy.Latest);
        var ready = reader.WaitUntilReadyAsync(Ct).AsTask();
        Assert.False(ready.IsCompleted);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await reader.ReadAsync(Ct));
        for (var step = 0ul; step < 3; step++)
        {
            _ = match.PublishAsync(step, Observations.Make(new Random(1)));
        }

        await ready;
        Assert.True(reader.WaitUntilReadyAsync(Ct).AsTask().IsCompletedSuccessfully);
        var frame = reader.ReadFrame();
        Assert.Equal(2ul, frame.Step);
        Assert.Equal(2ul, frame.Skipped.Frames);
        using var gone = new CancellationTokenSource();
        ready = reader.WaitUntilReadyAsync(gone.Token).AsTask();
        await gone.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await ready);
        ready = reader.WaitUntilReadyAsync(Ct).AsTask();
        match.Hub.End(new MatchEnd { MatchId = TestMatch.Name });
        await ready;
        Assert.True((await reader.ReadAsync(Ct)).IsLast);
    }
}
