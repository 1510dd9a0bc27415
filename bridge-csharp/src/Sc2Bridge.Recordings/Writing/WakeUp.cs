namespace Sc2Bridge.Recordings.Writing;

/// <summary>Wakes a thread that waits, or is about to. Unlike the system's events it is nobody's to dispose.</summary>
internal sealed class WakeUp
{
    private readonly object _lock = new();
    private bool _set;

    /// <summary>The next wait, or the one under way, ends.</summary>
    public void Set()
    {
        lock (_lock)
        {
            _set = true;
            Monitor.Pulse(_lock);
        }
    }

    /// <summary>Waits, at most so long.</summary>
    public void Wait(TimeSpan longest)
    {
        lock (_lock)
        {
            if (!_set)
            {
                Monitor.Wait(_lock, longest);
            }

            _set = false;
        }
    }
}
