namespace Sc2Bridge.Games.Tests;

/// <summary>When steps are due.</summary>
public sealed class PlaybackClockTests
{
    private const long Ms = 1_000_000;
    private long _now = 5_000 * Ms;

    [Fact]
    public void At_a_rate_steps_are_due_at_absolute_times()
    {
        var head = new PlaybackClock(100, isHeld: false);
        Give(head, late: 0);
        Assert.Equal(_now + (10 * Ms), head.DueNs(_now));
        Give(head, late: 3);
        Assert.Equal(_now + (7 * Ms), head.DueNs(_now + Ms));
    }

    [Fact]
    public void At_max_each_is_due_at_once()
    {
        var head = new PlaybackClock(0, isHeld: false);
        for (var count = 0; count < 5; count++)
        {
            Assert.Equal(_now, head.DueNs(_now));
            head.Give(_now++);
        }
    }

    [Fact]
    public void A_faster_rate_is_due_from_the_last_step_on()
    {
        var head = new PlaybackClock(1, isHeld: false);
        Give(head, late: 0);
        Assert.Equal(_now + (1000 * Ms), head.DueNs(_now));
        head.SetRate(10, _now + (40 * Ms));
        Assert.Equal(_now + (100 * Ms), head.DueNs(_now + (40 * Ms)));

        // A period is over already: at once, and none is caught up with.
        head.SetRate(50, _now + (90 * Ms));
        _now += 90 * Ms;
        Give(head, late: 0);
        Assert.Equal(_now + (20 * Ms), head.DueNs(_now));
        head.SetRate(0, _now);
        Assert.Equal(_now, head.DueNs(_now));
        head.Give(_now);
        head.SetRate(100, _now);
        Assert.Equal(_now + (10 * Ms), head.DueNs(_now));
    }

    [Fact]
    public void Held_it_gives_what_is_allowed_the_first_at_once_and_the_rest_at_the_rate()
    {
        var head = new PlaybackClock(100, isHeld: true);
        Give(head, late: 0);
        Assert.Null(head.DueNs(_now));
        _now += 500 * Ms;
        head.Allow(2);
        Give(head, late: 0);
        Assert.Equal(_now + (10 * Ms), head.DueNs(_now));
        _now += 10 * Ms;
        head.Give(_now);
        Assert.Null(head.DueNs(_now));
        head.Allow(5);
        head.Hold();
        Assert.Null(head.DueNs(_now));
        head.Move();
        Give(head, late: 0);
        Assert.Null(head.DueNs(_now));
        Assert.True(head.IsHeld);
        head.GoOn();
        Give(head, late: 0);
        Assert.False(head.IsHeld);
        Assert.Equal(_now + (10 * Ms), head.DueNs(_now));
    }

    [Fact]
    public void A_request_that_changes_nothing_keeps_the_time()
    {
        var head = new PlaybackClock(10, isHeld: false);
        Give(head, late: 0);
        head.GoOn();
        Assert.Equal(_now + (100 * Ms), head.DueNs(_now));
        head.Allow(1);
        Assert.Equal(_now + (100 * Ms), head.DueNs(_now));
    }

    // What is due now is given, a little late.
    private void Give(PlaybackClock head, int late)
    {
        Assert.InRange(head.DueNs(_now) ?? long.MaxValue, 0, _now + (10 * Ms));
        _now = Math.Max(_now, head.DueNs(_now)!.Value) + (late * Ms);
        head.Give(_now);
    }
}
