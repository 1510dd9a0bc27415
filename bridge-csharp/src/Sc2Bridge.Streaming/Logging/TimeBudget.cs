namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Keeps a job within a share of the wall-clock time: it may begin when the share has made up for the time it took
/// before. For one thread at a time.
/// </summary>
internal sealed class TimeBudget
{
    /// <summary>The share for measuring encodings that no subscriber asked for.</summary>
    public const double Share = 0.05;

    // The most that a quiet time saves up: enough for a few large frames, too little to be noticed when the match goes
    // on.
    private static readonly TimeSpan MostSaved = TimeSpan.FromMilliseconds(20);

    private readonly TimeProvider _time;
    private long _since;
    private TimeSpan _balance = TimeSpan.Zero;

    /// <summary>Begins with nothing saved: the first job may begin.</summary>
    public TimeBudget(TimeProvider time)
    {
        _time = time;
        _since = time.GetTimestamp();
    }

    /// <summary>Whether a job may begin now.</summary>
    public bool Allows
    {
        get
        {
            var now = _time.GetTimestamp();
            _balance += _time.GetElapsedTime(_since, now) * Share;
            _balance = _balance < MostSaved ? _balance : MostSaved;
            _since = now;
            return _balance >= TimeSpan.Zero;
        }
    }

    /// <summary>A job took so long.</summary>
    public void Spend(TimeSpan taken) => _balance -= taken;
}
