namespace Sc2Bridge.Games.Tests;

/// <summary>The times at which steps are due.</summary>
public sealed class PlaybackClockTests
{
    private const long Ms = 1_000_000;
    private long _now = 5_000 * Ms;

    [Fact]
    public void At_a_rate_steps_are_due_at_absolute_times()
    {
        var head = new PlaybackClock(100, startsPaused: false);
        Give(head, late: 0);
        Assert.Equal(_now + (10 * Ms), head.DueNs(_now));
        Give(head, late: 3);
        Assert.Equal(_now + (7 * Ms), head.DueNs(_now + Ms));
    }

    [Fact]
    public void At_max_each_is_due_at_once()
    {
        var head = new PlaybackClock(0, startsPaused: false);
        for (var count = 0; count < 5; count++)
        {
            Assert.Equal(_now, head.DueNs(_now));
            head.OnStepGiven(_now++);
        }
    }

    [Fact]
    public void A_faster_rate_is_due_from_the_last_step_on()
    {
        var head = new PlaybackClock(1, startsPaused: false);
        Give(head, late: 0);
        Assert.Equal(_now + (1000 * Ms), head.DueNs(_now));
        head.SetRate(10, _now + (40 * Ms));
        Assert.Equal(_now + (100 * Ms), head.DueNs(_now + (40 * Ms)));

        // The new period has already passed: the next step is due at once, and missed steps are not caught up.
        head.SetRate(50, _now + (90 * Ms));
        _now += 90 * Ms;
        Give(head, late: 0);
        Assert.Equal(_now + (20 * Ms), head.DueNs(_now));
        head.SetRate(0, _now);
        Assert.Equal(_now, head.DueNs(_now));
        head.OnStepGiven(_now);
        head.SetRate(100, _now);
        Assert.Equal(_now + (10 * Ms), head.DueNs(_now));
    }

    [Fact]
    public void Held_it_gives_what_is_allowed_the_first_at_once_and_the_rest_at_the_rate()
    {
        var head = new PlaybackClock(100, startsPaused: true);
        Give(head, late: 0);
        Assert.Null(head.DueNs(_now));
        _now += 500 * Ms;
        head.AllowSteps(2);
        Give(head, late: 0);
        Assert.Equal(_now + (10 * Ms), head.DueNs(_now));
        _now += 10 * Ms;
        head.OnStepGiven(_now);
        Assert.Null(head.DueNs(_now));
        head.AllowSteps(5);
        head.Pause();
        Assert.Null(head.DueNs(_now));
        head.OnSeek();
        Give(head, late: 0);
        Assert.Null(head.DueNs(_now));
        Assert.True(head.IsPaused);
        head.Resume();
        Give(head, late: 0);
        Assert.False(head.IsPaused);
        Assert.Equal(_now + (10 * Ms), head.DueNs(_now));
    }

    [Fact]
    public void A_request_that_changes_nothing_keeps_the_time()
    {
        var head = new PlaybackClock(10, startsPaused: false);
        Give(head, late: 0);
        head.Resume();
        Assert.Equal(_now + (100 * Ms), head.DueNs(_now));
        head.AllowSteps(1);
        Assert.Equal(_now + (100 * Ms), head.DueNs(_now));
    }

    // Gives the next step this many milliseconds after it was due.
    private void Give(PlaybackClock head, int late)
    {
        Assert.InRange(head.DueNs(_now) ?? long.MaxValue, 0, _now + (10 * Ms));
        _now = Math.Max(_now, head.DueNs(_now)!.Value) + (late * Ms);
        head.OnStepGiven(_now);
    }
}
