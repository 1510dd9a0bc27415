using Sc2Bridge.Games;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>A playback that is paused, moved and given another rate.</summary>
public sealed class ControlTests
{
    private readonly SampleRecording _sample = SampleRecording.Make(perspectives: [1, 2]);

    [Fact]
    public async Task After_pause_nothing_comes_but_the_rest_of_the_step()
    {
        await using var source = PlayedRecording.Play(_sample.Bytes);
        Assert.True(source.TryNext(out var first));
        var state = source.Pause();
        Assert.Equal((true, first!.Step), (state.Paused, state.Step));
        Assert.True(source.TryNext(out var other));
        Assert.Equal((first.Step, true), (other!.Step, other.Perspective != first.Perspective));
        Assert.False(source.TryNext(out _));
        var waiting = source.NextAsync(Ct);
        Assert.False(waiting.IsCompleted);
        Assert.False(source.Pause(false).Paused);
        Assert.Equal(1ul, Given.Of((await waiting)!).Step);
    }

    [Fact]
    public async Task Steps_are_gone_on_by_and_back_by()
    {
        await using var source = PlayedRecording.Play(_sample.Bytes, new() { IsPaused = true });
        Expect(source, 0, 0);
        Assert.True(source.Step(3).Paused);
        Expect(source, 1, 1, 2, 2, 3, 3);
        source.Step(1);
        source.Step(1);
        Expect(source, 4, 4, 5, 5);
        Assert.Equal(3ul, source.Step(-2).Step);
        Expect(source, 3, 3);

        // The steps 30 to 32 are missing.
        Assert.Equal(33ul, source.SeekStep(31).Step);
        Expect(source, 33, 33);
        Assert.Equal(29ul, source.Step(-1).Step);
        Expect(source, 29, 29);
        source.Step(1);
        Expect(source, 33, 33);
        Assert.Equal(0ul, source.Step(int.MinValue).Step);
        Expect(source, 0, 0);
        Assert.Equal(0ul, source.Step(-1).Step);
        Expect(source, 0, 0);
        source.Step(int.MaxValue);
        source.Step(int.MaxValue);
        for (var count = 0; count < 238; count++)
        {
            Assert.True(source.TryNext(out var given) && given is not null);
        }

        // The playback pauses before its end. The end comes after a request to continue.
        Assert.False(source.TryNext(out _));
        source.Step(1);
        Assert.False(source.TryNext(out _));
        source.Pause(false);
        Assert.True(source.TryNext(out var last));
        Assert.Null(last);
        Assert.Equal(_sample.End, source.End);
    }

    [Fact]
    public async Task A_step_while_it_plays_is_the_last()
    {
        await using var source = PlayedRecording.Play(_sample.Bytes);
        Assert.True(source.TryNext(out _));
        Assert.True(source.Step(2).Paused);
        Expect(source, 0, 1, 1, 2, 2);
    }

    [Fact]
    public async Task A_seek_tells_where_it_leads_and_each_perspective_of_the_jump()
    {
        await using var source = PlayedRecording.Play(_sample.Bytes);
        Assert.True(source.TryNext(out _));
        var state = source.SeekLoop(101);
        Assert.Equal((51ul, 102u, false), (state.Step, state.GameLoop, state.Paused));
        Assert.Equal([(51ul, true), (51ul, true), (52ul, false), (52ul, false)], Next(source, 4));
        Assert.Equal(10ul, source.SeekStep(10).Step);
        Assert.Equal(20ul, source.SeekStep(20).Step);
        Assert.Equal([(20ul, true), (20ul, true), (21ul, false)], Next(source, 3));
        source.Pause();
        Assert.Equal(5ul, source.SeekStep(5).Step);
        Expect(source, 5, 5);
        source.SeekStep(5);
        Expect(source, 5, 5);
    }

    [Fact]
    public async Task Impossible_requests_are_refused_and_change_nothing()
    {
        await using var source = PlayedRecording.Play(_sample.Bytes, new() { From = 20, To = 100 });
        ControlRequest[] wrong =
        [
            new() { Step = 0 }, new() { SeekLoop = 19 }, new() { SeekLoop = 101 }, new() { SeekStep = 9 },
            new() { SeekStep = ulong.MaxValue }, new() { Rate = -1 }, new() { Rate = double.NaN },
            new() { Rate = double.PositiveInfinity }, new() { Rate = 10_001 }, new() { Rate = double.Epsilon },
        ];
        var before = source.Control(new ControlRequest());
        foreach (var request in wrong)
        {
            var refused = Assert.Throws<RequestRefusedException>(() => source.Control(request));
            Assert.Equal(StatusCode.InvalidArgument, refused.Code);
            Assert.DoesNotContain('\n', refused.Message);
        }

        Assert.Equal(before, source.Control(new ControlRequest()));
        Assert.Equal([(10ul, true), (10ul, true), (11ul, false)], Next(source, 3));
    }

    [Fact]
    public async Task A_rate_that_changes_takes_hold_at_once()
    {
        // One step in 1000 seconds.
        await using var source = PlayedRecording.Play(_sample.Bytes, new() { Rate = StepRate.At(0.001) });
        Expect(source, 0, 0);
        var waiting = source.NextAsync(Ct);
        Assert.False(waiting.IsCompleted);
        Assert.Equal(0, source.Control(new ControlRequest { Rate = 0 }).Rate);
        Assert.Equal(1ul, Given.Of((await waiting)!).Step);
        Assert.Equal(240, (await source.RestAsync()).Count + 3);
    }

    [Fact]
    public async Task A_move_and_going_on_do_not_wait_for_the_rate()
    {
        await using var source = PlayedRecording.Play(_sample.Bytes, new() { Rate = StepRate.At(0.001) });
        Expect(source, 0, 0);
        source.SeekStep(40);
        Expect(source, 40, 40);
        source.Pause();
        source.Pause(false);
        Expect(source, 41, 41);
        source.Pause();
        source.Step(2);
        Expect(source, 42, 42);
    }

    [Fact]
    public async Task When_it_is_over_it_is_controlled_no_more()
    {
        var source = PlayedRecording.Play(_sample.Bytes);
        await source.DisposeAsync();
        Assert.Equal(StatusCode.Unavailable, Assert.Throws<RequestRefusedException>(() => source.SeekStep(4)).Code);
    }

    [Fact]
    public async Task Wishes_of_many_at_once_leave_each_frame_whole_and_each_run_in_order()
    {
        await using var source = PlayedRecording.Play(_sample.Bytes, new() { Repeats = true });
        var known = _sample.Observations.Select(seen => Given.Of(seen)).ToHashSet();
        using var enough = new CancellationTokenSource();
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var wishes = Enumerable.Range(0, 4).Select(seed => Task.Run(async () =>
        {
            await begun.Task;
            var random = new Random(seed);
            for (var count = 0; count < 200; count++)
            {
                var step = (ulong)random.Next(123);
                var state = source.SeekStep(step);
                Assert.InRange(state.Step, step, step + 3);
                source.Pause(random.Next(2) == 0);
                source.Step(random.Next(1, 3) * (random.Next(2) == 0 ? 1 : -1));
            }
        })).ToList();
        var heard = Task.Run(async () =>
        {
            var last = new Dictionary<uint, ulong>();
            var count = 0;
            try
            {
                while (await source.NextAsync(enough.Token) is { } frame)
                {
                    var given = Given.Of(frame);
                    Assert.Contains(given with { IsJump = false }, known);
                    var before = last.GetValueOrDefault(given.Perspective, ulong.MaxValue);
                    Assert.True(given.IsJump || given.Step == (before == 29 ? 33 : before + 1));
                    last[given.Perspective] = given.Step;
                    count++;
                    begun.TrySetResult();
                }
            }
            catch (OperationCanceledException)
            {
                // Enough frames.
            }

            return count;
        });
        await Task.WhenAll(wishes);
        await enough.CancelAsync();
        Assert.InRange(await heard, 1, int.MaxValue);
    }

    // Expects these steps and then a pause.
    private static void Expect(RecordedSource source, params ulong[] steps)
    {
        Assert.Equal(steps, Next(source, steps.Length).Select(given => given.Step));
        Assert.False(source.TryNext(out _));
    }

    private static List<(ulong Step, bool IsJump)> Next(RecordedSource source, int count) =>
        [.. Enumerable.Range(0, count).Select(_ =>
        {
            Assert.True(source.TryNext(out var given));
            return (given!.Step, given.IsJump);
        })];
}
