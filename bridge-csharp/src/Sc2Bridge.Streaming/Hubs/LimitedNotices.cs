namespace Sc2Bridge.Streaming;

/// <summary>
/// Lines on what clients do, for the person who runs the match: some a minute, and how many more there would be. Thread-safe.
/// </summary>
/// <param name="time">Measures the minute.</param>
/// <param name="notice">Gets the lines.</param>
internal sealed class LimitedNotices(TimeProvider time, Action<string> notice)
{
    public const int MostInMinute = 60;

    private readonly Lock _lock = new();
    private long _began = time.GetTimestamp();
    private int _count;

    public void Add(string line)
    {
        lock (_lock)
        {
            BeginMinute(early: false);
            if (++_count <= MostInMinute)
            {
                notice(line);
            }
        }
    }

    /// <summary>Reports how many lines were left out in a minute that is over.</summary>
    /// <param name="early">Does not wait until it is over.</param>
    public void BeginMinute(bool early)
    {
        lock (_lock)
        {
            if (!early && time.GetElapsedTime(_began) < TimeSpan.FromMinutes(1))
            {
                return;
            }

            if (_count > MostInMinute)
            {
                notice($"… and {_count - MostInMinute} more agents were dropped or left");
            }

            (_began, _count) = (time.GetTimestamp(), 0);
        }
    }
}
