using Action = System.Action;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>A clock that only the test moves.</summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly List<ManualTimer> _timers = [];
    private long _now;
    private int _reads;

    /// <summary>The number of times that the clock was read.</summary>
    public int Reads => Volatile.Read(ref _reads);

    /// <summary>The wall clock's time. It only changes when a test sets it, and may jump.</summary>
    public DateTimeOffset Wall { get; set; } = DateTimeOffset.UnixEpoch;

    /// <summary>Called when the wall clock is read.</summary>
    public Action? WallRead { get; set; }

    public override DateTimeOffset GetUtcNow()
    {
        WallRead?.Invoke();
        return Wall;
    }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp()
    {
        Interlocked.Increment(ref _reads);
        return _now;
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, () => callback(state));
        timer.Change(dueTime, period);
        _timers.Add(timer);
        return timer;
    }

    public void Advance(TimeSpan by)
    {
        _now += by.Ticks;
        foreach (var timer in _timers.Where(timer => timer.Due <= _now).ToList())
        {
            timer.Fire();
        }
    }

    private sealed class ManualTimer(ManualTime time, Action fire) : ITimer
    {
        private TimeSpan _period;

        public long Due { get; private set; } = long.MaxValue;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            (Due, _period) = (After(dueTime), period);
            return true;
        }

        public void Fire()
        {
            Due = After(_period);
            fire();
        }

        private long After(TimeSpan wait) => wait == Timeout.InfiniteTimeSpan ? long.MaxValue : time._now + wait.Ticks;

        public void Dispose() => Due = long.MaxValue;

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
