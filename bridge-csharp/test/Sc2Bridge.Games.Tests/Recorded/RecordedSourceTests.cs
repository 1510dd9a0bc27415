using Sc2Bridge.Games;
using Sc2Bridge.Recordings;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>A recording that is played as a whole or in part.</summary>
public sealed class RecordedSourceTests
{
    private readonly SampleRecording _sample = SampleRecording.Make(perspectives: [1, 2]);

    [Fact]
    public async Task Every_observation_comes_in_its_order_and_then_the_recorded_end()
    {
        await using var source = PlayedRecording.Play(_sample.Bytes);
        await source.StartAsync(Ct);
        Assert.Null(source.End);
        Assert.Equal(_sample.Observations.Select(seen => Given.Of(seen)), await source.RestAsync());
        Assert.Equal(_sample.End, source.End);
    }

    [Fact]
    public async Task The_description_is_the_recorded_one_but_for_what_is_the_playbacks()
    {
        await using var source = PlayedRecording.Play(_sample.Bytes, new() { Rate = StepRate.At(16) });
        var expected = _sample.Description.Clone();
        expected.GameInfo = _sample.GameInfo;
        expected.Recording = "match.mcap";
        expected.Rate = 16;
        expected.ClockId = ClockId.Read();
        Assert.Equal(expected, source.Description);
    }

    [Fact]
    public async Task Times_are_the_playbacks()
    {
        await using var source = PlayedRecording.Play(_sample.Bytes);
        var before = MonotonicClock.NowNs;
        var header = (await source.NextAsync(Ct))!.Header;
        Assert.InRange(header.RequestedNs, before, header.ObservedNs);
        Assert.InRange(header.ObservedNs, header.RequestedNs, MonotonicClock.NowNs);
    }

    // The steps 30 to 32, loops 60 to 65, are missing.
    [Theory]
    [InlineData(10u, null, 5, 122)]
    [InlineData(9u, 21u, 5, 10)]
    [InlineData(60u, 66u, 33, 33)]
    [InlineData(0u, 65u, 0, 29)]
    [InlineData(0u, 66u, 0, 33)]
    [InlineData(null, 0u, 0, 0)]
    [InlineData(244u, 9999u, 122, 122)]
    public async Task A_part_is_played(uint? from, uint? to, int first, int last)
    {
        await using var source = PlayedRecording.Play(_sample.Bytes, new() { From = from, To = to });
        var state = source.Control(new ControlRequest());
        Assert.Equal(
            ((ulong)first, (ulong)last, 2u * (uint)first, 2u * (uint)last, (ulong)first),
            (state.FirstStep, state.LastStep, state.FirstGameLoop, state.LastGameLoop, state.Step));
        var part = _sample.Observations.Where(seen => seen.Step >= (ulong)first && seen.Step <= (ulong)last);
        var given = await source.RestAsync();
        Assert.Equal(part.Select(seen => Given.Of(seen)), given.Select(one => one with { IsJump = false }));
        Assert.Equal(first > 0 ? 2 : 0, given.Count(one => one.IsJump));
        Assert.Equal(last == 122 ? _sample.End : Cut(last), source.End);

        static MatchEnd Cut(int last) =>
            new() { MatchId = "m1", Step = (ulong)last, GameLoop = 2 * (uint)last, Reason = EndReason.RangeEnd };
    }

    [Theory]
    [InlineData(245u, null)]
    [InlineData(20u, 19u)]
    [InlineData(60u, 65u)]
    public void An_empty_part_is_refused_with_what_there_is(uint? from, uint? to) => PlayedRecording.Refused(
        "choose from 0 to 244", () => PlayedRecording.Play(_sample.Bytes, new() { From = from, To = to }));

    [Fact]
    public void A_file_that_cannot_be_played_is_refused()
    {
        PlayedRecording.Refused("not an MCAP file", () => PlayedRecording.Play(new byte[100]));
        PlayedRecording.Refused(
            "no clock", () => PlayedRecording.Play(_sample.Bytes, new() { Rate = StepRate.GameClock }));
        PlayedRecording.Refused("nowhere.mcap", () => RecordedSource.Open("/nowhere.mcap", new()));
        PlayedRecording.Refused("no observations", () => PlayedRecording.Play(SampleRecording.Make(steps: 0).Bytes));
    }

    [Fact]
    public void A_defect_while_it_is_opened_keeps_the_stack_that_says_where_it_happened()
    {
        var thrown = Assert.Throws<NotSupportedException>(() => RecordedSource.Open(OpenDefective, new PlaybackOptions()));
        Assert.Contains(nameof(OpenDefective), thrown.StackTrace, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_that_was_cut_off_is_played_up_to_its_last_whole_chunk_and_ends_saying_so()
    {
        var layout = _sample.Layout;
        var cut = _sample.Bytes[..(int)(layout.Regions[^2].Offset + 40)];
        var whole = SampleRecording.ReadAll(cut).Given;
        await using var source = PlayedRecording.Play(cut);
        Assert.Equal(whole.Select(seen => Given.Of(seen)), await source.RestAsync());
        var end = source.End!;
        Assert.Equal((whole[^1].Step, whole[^1].GameLoop), (end.Step, end.GameLoop));
        Assert.Equal((true, "m1"), (end.Aborted, end.MatchId));
        Assert.StartsWith(
            "The recording ends before its match does. match.mcap: ", end.Detail, StringComparison.Ordinal);
        Assert.Contains("--repair", end.Detail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_that_is_damaged_is_played_up_to_there_and_moved_to_where_it_is_whole()
    {
        var places = _sample.Layout.Regions;
        var damaged = (byte[])_sample.Bytes.Clone();
        damaged[places[places.Count * 3 / 4].Offset + 60] ^= 1;
        var whole = SampleRecording.ReadAll(damaged).Given;
        Assert.InRange(whole.Count, 100, _sample.Observations.Count - 10);
        await using var source = PlayedRecording.Play(damaged);
        var given = new List<Given>();
        var problem = await Assert.ThrowsAsync<GameException>(async () =>
        {
            while (await source.NextAsync(Ct) is { } frame)
            {
                given.Add(Given.Of(frame));
            }
        });
        Assert.Equal(whole.Select(seen => Given.Of(seen)), given);
        Assert.StartsWith("match.mcap: ", problem.Message, StringComparison.Ordinal);
        Assert.Equal(122ul, source.Control(new ControlRequest()).LastStep);

        // It can still seek to other places. If a seek fails, the position stays.
        Assert.Equal(10ul, source.SeekStep(10).Step);
        var refused = Assert.Throws<RequestRefusedException>(() => source.SeekStep(whole[^1].Step + 1));
        Assert.Equal(StatusCode.FailedPrecondition, refused.Code);
        Assert.StartsWith("match.mcap: ", refused.Message, StringComparison.Ordinal);
        Assert.Equal(10ul, Given.Of((await source.NextAsync(Ct))!).Step);
    }

    [Fact]
    public async Task A_repeated_playback_starts_over()
    {
        await using var source = PlayedRecording.Play(_sample.Bytes, new() { From = 240, Repeats = true });
        var round = _sample.Observations.Where(seen => seen.GameLoop >= 240).Select(seen => seen.Step).ToList();
        for (var count = 0; count < 3; count++)
        {
            foreach (var step in round)
            {
                var given = Given.Of((await source.NextAsync(Ct))!);
                Assert.Equal((step, step == 120), (given.Step, given.IsJump));
            }
        }

        Assert.Null(source.End);
        Assert.True(source.Control(new ControlRequest()).Repeats);
    }

    [Fact]
    public async Task A_match_runs_from_it_to_the_recorded_end()
    {
        await using var source = PlayedRecording.Play(_sample.Bytes);
        using var hub = new Hub(new HubOptions());
        using var agent = hub.Subscribe(new V1.SubscribeRequest { Perspective = 2 }, new SubscriberInfo("test", false));
        var runner = new MatchRunner(source, hub, StepRate.Max, stepLimit: 0);
        await runner.StartAsync(Ct);
        Assert.Equal("match.mcap", (await hub.CurrentMatch.DescribeAsync(new() { MatchId = "m1" }, Protocol.Identity.Anonymous, Ct)).Recording);
        var run = runner.RunAsync(Ct);
        foreach (var seen in _sample.Observations.Where(seen => seen.Perspective == 2))
        {
            var delivery = await agent.ReadAsync(Ct);
            Assert.Equal(Given.Of(seen), Given.Of(delivery.Frame!));
        }

        Assert.Equal(_sample.End, (await agent.ReadAsync(Ct)).Event!.MatchEnd);
        Assert.Equal(_sample.End, await run);
        Assert.Equal(122ul, runner.Progress.Step);
    }

    private static RecordingReader OpenDefective() => throw new NotSupportedException("a defect");
}
