namespace Sc2Bridge.Recordings.Analysis;

/// <summary>The living units, each as it was last seen. Not thread-safe.</summary>
internal sealed class UnitMemory
{
    /// <summary>The maximum number of units. A match has about 1,000.</summary>
    public const int MostUnits = 5000;

    /// <summary>After a unit was seen, its position counts as known for this many game loops: 5 s.</summary>
    private const uint RecentLoops = 112;

    private readonly Dictionary<ulong, (SeenUnit Unit, uint Loop)> _units = [];
    private readonly HashSet<ulong> _dead = [];
    private uint? _clearedLoop;

    /// <summary>Adds or updates a unit of an observation. If several players see the unit in the same loop, only the first call has an effect.</summary>
    /// <returns>Whether the unit was seen recently and has taken damage since then.</returns>
    public bool Update(in SeenUnit unit, uint loop)
    {
        // Another player's observation may be older than the stored one, and may contain a unit that has died since.
        var isKnown = _units.TryGetValue(unit.Tag, out var before);
        if (isKnown ? before.Loop >= loop : _dead.Contains(unit.Tag) || !TryMakeRoom(loop))
        {
            return false;
        }

        _units[unit.Tag] = (unit, loop);
        return isKnown && before.Unit.Type == unit.Type && IsRecent(before.Loop, loop) && unit.Life < before.Unit.Life;
    }

    /// <summary>The living unit with a tag; null if there is no such unit.</summary>
    public SeenUnit? Find(ulong tag) => _units.TryGetValue(tag, out var known) ? known.Unit : null;

    /// <summary>Removes a unit that has died.</summary>
    public void Remove(ulong tag)
    {
        if (_dead.Count == MostUnits)
        {
            _dead.Clear();
        }

        _units.Remove(tag);
        _dead.Add(tag);
    }

    /// <summary>The players, except the unit's owner, with a recently seen unit near the given unit: bit n for player n.</summary>
    public uint PlayersNear(in SeenUnit unit, uint loop)
    {
        var others = 0u;
        foreach (var (other, seenLoop) in _units.Values)
        {
            if (other.Owner != unit.Owner && IsRecent(seenLoop, loop)
                && FightFinder.IsNear(other.X - unit.X, other.Y - unit.Y))
            {
                others |= 1u << other.Owner;
            }
        }

        return others;
    }

    private static bool IsRecent(uint seenLoop, uint loop) => (long)loop - seenLoop <= RecentLoops;

    // If the memory is full, removes units that were not seen recently, at most once in a game loop. Returns whether there is room for a unit.
    private bool TryMakeRoom(uint loop)
    {
        if (_units.Count >= MostUnits && _clearedLoop != loop)
        {
            _clearedLoop = loop;
            foreach (var old in _units.Where(unit => !IsRecent(unit.Value.Loop, loop)).Select(unit => unit.Key).ToList())
            {
                _units.Remove(old);
            }
        }

        return _units.Count < MostUnits;
    }
}
