namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Limits a job to a share of the wall-clock time. A job may start when the earlier jobs have used no more than this
/// share of the time so far. Not thread-safe.
/// </summary>
internal sealed class TimeBudget
{
    /// <summary>The share for encodings that no subscriber asked for.</summary>
    public const double Share = 0.05;

    // The most job time that may be saved up while no job runs: enough for a few large frames, and too short to be
    // noticed when the match continues.
    private static readonly TimeSpan MaxSaved = TimeSpan.FromMilliseconds(20);

    private readonly TimeProvider _time;
    private long _lastUpdated;
    private TimeSpan _balance = TimeSpan.Zero;

    /// <summary>Starts with an empty balance, so the first job may start at once.</summary>
    public TimeBudget(TimeProvider time)
    {
        _time = time;
        _lastUpdated = time.GetTimestamp();
    }

    /// <summary>Whether a job may start now.</summary>
    public bool CanStart
    {
        get
        {
            var now = _time.GetTimestamp();
            _balance += _time.GetElapsedTime(_lastUpdated, now) * Share;
            _balance = _balance < MaxSaved ? _balance : MaxSaved;
            _lastUpdated = now;
            return _balance >= TimeSpan.Zero;
        }
    }

    public void Spend(TimeSpan taken) => _balance -= taken;
}
