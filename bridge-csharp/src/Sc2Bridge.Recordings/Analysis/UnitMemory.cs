namespace Sc2Bridge.Recordings.Analysis;

/// <summary>The units that are known to live, each as it was last seen. Not thread-safe.</summary>
internal sealed class UnitMemory
{
    /// <summary>The units that are remembered. A match has some 1,000.</summary>
    public const int Most = 5000;

    /// <summary>The place of a unit counts as known for so many loops: 5 s.</summary>
    private const uint Recent = 112;

    private readonly Dictionary<ulong, (SeenUnit Unit, uint Loop)> _units = [];
    private readonly HashSet<ulong> _dead = [];
    private uint? _clearedLoop;

    /// <summary>Stores a unit of an observation. A unit counts once in a loop, also if several players see it.</summary>
    /// <returns>Whether it was damaged since it was last seen, a short time ago.</returns>
    public bool See(in SeenUnit unit, uint loop)
    {
        // Another player's observation may be older, and still have a unit that has died since.
        var isKnown = _units.TryGetValue(unit.Tag, out var before);
        if (isKnown ? before.Loop >= loop : _dead.Contains(unit.Tag) || !HasRoom(loop))
        {
            return false;
        }

        _units[unit.Tag] = (unit, loop);
        return isKnown && before.Unit.Type == unit.Type && IsRecent(before.Loop, loop) && unit.Life < before.Unit.Life;
    }

    /// <summary>The unit of a tag, if it lives.</summary>
    public SeenUnit? Find(ulong tag) => _units.TryGetValue(tag, out var known) ? known.Unit : null;

    /// <summary>Removes a unit that has died.</summary>
    public void Remove(ulong tag)
    {
        if (_dead.Count == Most)
        {
            _dead.Clear();
        }

        _units.Remove(tag);
        _dead.Add(tag);
    }

    /// <summary>The other players who have a unit near a unit: bit n for player n.</summary>
    public uint OthersNear(in SeenUnit unit, uint loop)
    {
        var others = 0u;
        foreach (var (other, seen) in _units.Values)
        {
            if (other.Owner != unit.Owner && IsRecent(seen, loop)
                && FightFinder.IsNear(other.X - unit.X, other.Y - unit.Y))
            {
                others |= 1u << other.Owner;
            }
        }

        return others;
    }

    private static bool IsRecent(uint seen, uint loop) => (long)loop - seen <= Recent;

    // Old units are looked for once in a loop.
    private bool HasRoom(uint loop)
    {
        if (_units.Count >= Most && _clearedLoop != loop)
        {
            _clearedLoop = loop;
            foreach (var old in _units.Where(one => !IsRecent(one.Value.Loop, loop)).Select(one => one.Key).ToList())
            {
                _units.Remove(old);
            }
        }

        return _units.Count < Most;
    }
}
