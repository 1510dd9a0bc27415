namespace Sc2Bridge.Streaming;

/// <summary>Limits the notices about clients to a number per minute, and reports how many were left out. Thread-safe.</summary>
/// <param name="time">The clock.</param>
/// <param name="notice">Gets the lines.</param>
internal sealed class LimitedNotices(TimeProvider time, Action<string> notice)
{
    public const int MostInMinute = 60;

    private readonly Lock _lock = new();
    private long _minuteStartedAt = time.GetTimestamp();
    private int _count;

    public void Add(string line)
    {
        lock (_lock)
        {
            BeginMinuteIfDue(early: false);
            if (++_count <= MostInMinute)
            {
                notice(line);
            }
        }
    }

    /// <summary>
    /// Starts a new minute if the current one is over, and reports how many lines were left out in the old minute.
    /// </summary>
    /// <param name="early">Whether to start a new minute even if the current one is not over.</param>
    public void BeginMinuteIfDue(bool early)
    {
        lock (_lock)
        {
            if (!early && time.GetElapsedTime(_minuteStartedAt) < TimeSpan.FromMinutes(1))
            {
                return;
            }

            if (_count > MostInMinute)
            {
                notice($"… and {_count - MostInMinute} more agents were dropped or left");
            }

            (_minuteStartedAt, _count) = (time.GetTimestamp(), 0);
        }
    }
}
