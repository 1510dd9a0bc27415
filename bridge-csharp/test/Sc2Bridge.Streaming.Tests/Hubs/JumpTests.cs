using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>Frames that do not follow their predecessor, as in a playback that seeks.</summary>
public sealed class JumpTests
{
    [Fact]
    public async Task What_waits_from_before_a_jump_is_dropped_and_the_jump_is_an_event()
    {
        using var match = new TestMatch();
        using var every = match.Subscribe(Policy.Every);
        using var latest = match.Subscribe(Policy.Latest);
        for (var step = 10ul; step < 14; step++)
        {
            await match.PublishAsync(step);
        }

        Assert.Equal(10u, every.ReadFrame().Step);
        await JumpAsync(match, 4);
        await match.PublishAsync(5);
        var told = every.ReadEvent(isLast: false).Playback;
        Assert.Equal((4ul, true), (told.Step, told.Paused));
        Assert.Equal([4ul, 5ul], [every.ReadFrame().Step, every.ReadFrame().Step]);
        Assert.Equal(told, latest.ReadEvent(isLast: false).Playback);
        var newest = latest.ReadFrame();
        Assert.Equal((5ul, 1ul, 4ul), (newest.Step, newest.Skipped.Frames, newest.Skipped.FirstStep));
        Assert.Equal([3L, 5L], match.Hub.Subscribers.Select(one => one.Dropped));
        match.AssertAllReleased();
    }

    [Fact]
    public async Task A_reader_that_waits_gets_the_jump_first()
    {
        using var match = new TestMatch();
        using var agent = match.Subscribe(Policy.Every, inline: true);
        await match.PublishAsync(7);
        agent.ReadFrame();
        var read = agent.Read();
        await JumpAsync(match, 100);
        Assert.Equal(100ul, (await read).Event!.Playback.Step);
        Assert.Equal(100ul, agent.ReadFrame().Step);
    }

    [Fact]
    public async Task A_subscriber_without_earlier_frames_gets_no_jump()
    {
        using var match = new TestMatch();
        using var agent = match.Subscribe(Policy.Every);
        await JumpAsync(match, 100);
        Assert.Equal(100ul, agent.ReadFrame().Step);
    }

    [Fact]
    public async Task Only_the_newest_of_several_jumps_has_frames_behind_it()
    {
        using var match = new TestMatch();
        using var agent = match.Subscribe(Policy.Every);
        await match.PublishAsync(0);
        await JumpAsync(match, 50);
        await JumpAsync(match, 20);
        Assert.Equal([50ul, 20ul], [
            agent.ReadEvent(isLast: false).Playback.Step, agent.ReadEvent(isLast: false).Playback.Step]);
        Assert.Equal(20ul, agent.ReadFrame().Step);
    }

    [Fact]
    public async Task Lockstep_waits_for_the_steps_after_a_jump_back_as_for_any()
    {
        using var match = new TestMatch();
        using var agent = match.Subscribe(Policy.Lockstep);
        foreach (var (step, isJump) in new[] { (90ul, false), (91ul, false), (3ul, true), (4ul, false), (90ul, true) })
        {
            var published = isJump ? JumpAsync(match, step) : match.PublishAsync(step);
            if (isJump)
            {
                agent.ReadEvent(isLast: false);
            }

            Assert.Equal(step, agent.ReadFrame().Step);
            Assert.False(published.IsCompleted);
            agent.Acknowledge(step);
            Assert.True(published.IsCompletedSuccessfully);
        }

        await Task.CompletedTask;
    }

    [Theory]
    [InlineData(90, 3)]
    [InlineData(3, 90)]
    public async Task An_answer_from_before_a_jump_is_late_and_lets_no_step_go(ulong before, ulong after)
    {
        var time = new ManualTime();
        var deadline = TimeSpan.FromSeconds(5);
        using var match = new TestMatch(options: new HubOptions { TimeProvider = time, LockstepDeadline = deadline });
        using var agent = match.Subscribe(Policy.Lockstep);
        var published = match.PublishAsync(before);
        agent.ReadFrame();
        time.Advance(deadline);
        await published;
        published = JumpAsync(match, after);
        agent.ReadEvent(isLast: false);
        agent.ReadFrame();

        // It missed a deadline, so the match does not wait until it answers.
        Assert.True(published.IsCompletedSuccessfully);
        agent.Acknowledge(before);
        var error = agent.ReadEvent(isLast: false).Error;
        Assert.Equal((StatusCode.DeadlineExceeded, before), (error.Code, error.Step));
        published = match.PublishAsync(after + 1);
        agent.ReadFrame();
        Assert.False(published.IsCompleted);
        agent.Acknowledge(after + 1);
        Assert.True(published.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task Times_of_steps_from_before_a_jump_are_taken_and_those_of_steps_not_sent_refused()
    {
        using var match = new TestMatch();
        var reported = new List<ulong>();
        match.Hub.Events.TimesReported += report => reported.Add(report.Times.Step);
        using var agent = match.Subscribe(Policy.Every);
        await match.PublishAsync(90);
        agent.ReadFrame();
        await JumpAsync(match, 3);
        agent.ReadEvent(isLast: false);
        agent.ReadFrame();
        agent.Acknowledge(new Acknowledgement { Times = { new StepTimes { Step = 90 }, new StepTimes { Step = 3 } } });
        agent.Acknowledge(new Acknowledgement { Times = { new StepTimes { Step = 91 } } });
        Assert.Equal([90ul, 3ul], reported.Of(match.Hub));
        Assert.Equal(91ul, agent.ReadEvent(isLast: false).Error.Step);
    }

    [Fact]
    public async Task The_step_log_has_a_row_for_each_frame_in_the_order_of_publication_and_none_for_what_was_skipped()
    {
        using var match = new TestMatch();
        using var steps = new StringWriter();
        using var log = new StepLog(
            match.Hub, steps, new MatchFigures(), CodecLog.Off, [], new SidePath("steps.csv"), new SidePath("codec log"));
        await JumpAsync(match, 1000);
        await match.PublishAsync(1001);
        await match.PublishAsync(1003);
        await JumpAsync(match, 5);
        await JumpAsync(match, 700);
        match.Hub.End(new MatchEnd());
        await log.Ended;
        Assert.Equal(
            ["1000", "1001", "1002", "1003", "5", "700"],
            steps.ToString().TrimEnd('\n').Split('\n').Skip(1).Select(line => line.Split(',')[0]));
    }

    [Fact]
    public async Task A_step_that_came_twice_arrived_when_it_came_last()
    {
        using var match = new TestMatch();
        await match.PublishAsync(5);
        var again = ObservationFrame.Copy([], new FrameHeader(TestMatch.Name, 0, 5, 5, 8000, 9000));
        await match.Hub.Publisher.PublishAsync(again, Ct);
        Assert.Equal(9000, match.Hub.Perspectives.ObservedNs(0, 5));
    }

    private static Task JumpAsync(TestMatch match, ulong step)
    {
        var frame = match.MakeFrame(step);
        frame.Jump = new PlaybackState { Step = step, Paused = true };
        return match.Hub.Publisher.PublishAsync(frame, Ct).AsTask();
    }
}
