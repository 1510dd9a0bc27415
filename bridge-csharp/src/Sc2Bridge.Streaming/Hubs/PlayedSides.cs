namespace Sc2Bridge.Streaming;

/// <summary>
/// Counts the agents of each side, and remembers which sides were played in the running match. Thread-safe; calls nothing
/// under its lock.
/// </summary>
internal sealed class PlayedSides
{
    private readonly Lock _lock = new();
    private readonly HashSet<uint> _playedSides = [];
    private readonly Dictionary<uint, int> _agentCounts = [];
    private bool _isMatchRunning;

    public bool IsMatchRunning => Volatile.Read(ref _isMatchRunning);

    /// <summary>Starts a match that no agent has played in yet.</summary>
    public void Begin()
    {
        lock (_lock)
        {
            _playedSides.Clear();
            _isMatchRunning = true;
        }
    }

    /// <summary>Ends the match: after this, no side counts as abandoned.</summary>
    public void End()
    {
        lock (_lock)
        {
            _isMatchRunning = false;
        }
    }

    public void AddAgent(uint side)
    {
        lock (_lock)
        {
            _playedSides.Add(side);
            _agentCounts[side] = _agentCounts.GetValueOrDefault(side) + 1;
        }
    }

    /// <summary>Removes an agent of a side.</summary>
    public void RemoveAgent(uint side)
    {
        lock (_lock)
        {
            _agentCounts[side]--;
        }
    }

    /// <summary>Whether agents played a side in the running match and all of them have left.</summary>
    public bool IsSideAbandoned(uint side)
    {
        lock (_lock)
        {
            return _isMatchRunning && _playedSides.Contains(side) && _agentCounts[side] == 0;
        }
    }
}
