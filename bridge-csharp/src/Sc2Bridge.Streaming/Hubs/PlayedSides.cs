namespace Sc2Bridge.Streaming;

/// <summary>
/// How many agents play each side, and which sides were played in the match that runs. Thread-safe; calls nothing under
/// its lock.
/// </summary>
internal sealed class PlayedSides
{
    private readonly Lock _lock = new();
    private readonly HashSet<uint> _played = [];
    private readonly Dictionary<uint, int> _players = [];
    private bool _runs;

    public bool Runs => Volatile.Read(ref _runs);

    /// <summary>Another match begins, in which nobody has played yet.</summary>
    public void Begin()
    {
        lock (_lock)
        {
            _played.Clear();
            _runs = true;
        }
    }

    /// <summary>The match is over: agents that leave now leave no side deserted.</summary>
    public void End()
    {
        lock (_lock)
        {
            _runs = false;
        }
    }

    public void Add(uint side)
    {
        lock (_lock)
        {
            _played.Add(side);
            _players[side] = _players.GetValueOrDefault(side) + 1;
        }
    }

    /// <summary>An agent that was added plays it no longer.</summary>
    public void Remove(uint side)
    {
        lock (_lock)
        {
            _players[side]--;
        }
    }

    /// <summary>Whether agents played a side in the match that runs, and none does any more.</summary>
    public bool IsAbandoned(uint side)
    {
        lock (_lock)
        {
            return _runs && _played.Contains(side) && _players[side] == 0;
        }
    }
}
