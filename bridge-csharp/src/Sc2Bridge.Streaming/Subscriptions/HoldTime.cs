namespace Sc2Bridge.Streaming;

/// <summary>For how long publications have waited for one subscriber. Under the subscription's lock.</summary>
internal sealed class HoldTime
{
    private long _doneNs;
    private long? _sinceNs;

    /// <summary>In nanoseconds, the wait that goes on included.</summary>
    public long TotalNs => _doneNs + (_sinceNs is { } since ? MonotonicClock.NowNs - since : 0);

    /// <summary>Whether one waits now.</summary>
    public bool IsWaiting => _sinceNs is not null;

    /// <summary>A publication begins to wait for it.</summary>
    public void Begin() => _sinceNs ??= MonotonicClock.NowNs;

    /// <summary>None waits any longer.</summary>
    public void End() => (_doneNs, _sinceNs) = (TotalNs, null);
}
