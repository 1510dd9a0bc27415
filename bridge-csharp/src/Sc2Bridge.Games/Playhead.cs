namespace Sc2Bridge.Games;

/// <summary>
/// When a playback gives its next step: at a rate that may change, and while it is held only as many as were asked for.
/// Plain state, no clock: times are nanoseconds of <see cref="Streaming.MonotonicClock"/>.
/// </summary>
public sealed class Playhead
{
    // While it is held: the steps that it may still give.
    private long? _allowed;
    private StepSchedule? _schedule;
    private long? _dueNs;
    private long _lastNs;
    private bool _atOnce = true;

    /// <summary>One that has given nothing yet.</summary>
    /// <param name="hz">Steps a second; 0 for as fast as it goes.</param>
    /// <param name="isHeld">It gives one step and is held there.</param>
    public Playhead(double hz, bool isHeld)
    {
        Hz = hz;
        _allowed = isHeld ? 1 : null;
    }

    /// <summary>Steps a second; 0 for as fast as it goes.</summary>
    public double Hz { get; private set; }

    /// <summary>Whether it goes on by itself no longer.</summary>
    public bool IsHeld => _allowed is not null;

    /// <summary>When the next step is due; null where only a wish brings one.</summary>
    public long? DueNs(long nowNs)
    {
        if (_allowed == 0)
        {
            return null;
        }

        // A schedule counts by being asked: once a step.
        return _dueNs ??= _atOnce || _schedule is null ? nowNs : _schedule.Next(nowNs);
    }

    /// <summary>A step is given.</summary>
    public void Give(long nowNs)
    {
        _allowed -= _allowed > 0 ? 1 : 0;
        if (_atOnce)
        {
            _schedule = Hz == 0 ? null : new StepSchedule(Hz, nowNs);
        }

        (_atOnce, _dueNs, _lastNs) = (false, null, nowNs);
    }

    /// <summary>Gives no more by itself, nor what was asked for.</summary>
    public void Hold() => _allowed = 0;

    /// <summary>Goes on, where it was held at once.</summary>
    public void GoOn()
    {
        if (IsHeld)
        {
            _allowed = null;
            GiveAtOnce();
        }
    }

    /// <summary>Gives so many more, where it was held the first at once, and is held then.</summary>
    public void Allow(int steps)
    {
        if (_allowed == 0)
        {
            GiveAtOnce();
        }

        _allowed = (_allowed ?? 0) + steps;
    }

    /// <summary>It was moved: gives that step at once, also where it is held.</summary>
    public void Move()
    {
        _allowed = IsHeld ? 1 : null;
        GiveAtOnce();
    }

    /// <summary>Changes the rate; the next step is due a period after the last, or now where that is over.</summary>
    public void SetRate(double hz, long nowNs)
    {
        Hz = hz;
        _schedule = hz == 0 ? null : new StepSchedule(hz, Math.Max(_lastNs, nowNs - (long)(1e9 / hz)));
        _dueNs = null;
    }

    private void GiveAtOnce() => (_atOnce, _dueNs) = (true, null);
}
