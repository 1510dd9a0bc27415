namespace Sc2Bridge.Recordings.Analysis;

/// <summary>The units that are known to live, each as it was last seen.</summary>
internal sealed class UnitMemory
{
    /// <summary>The units that are remembered. A match has some 1,000.</summary>
    private const int Most = 5000;

    /// <summary>A unit that was seen at most so many loops ago is where it was: 5 s.</summary>
    private const uint Recent = 112;

    private readonly Dictionary<ulong, (SeenUnit Unit, uint Loop)> _units = [];

    /// <summary>Remembers a unit as it is seen now.</summary>
    /// <returns>Whether it was damaged since it was last seen, a short time ago.</returns>
    public bool See(in SeenUnit unit, uint loop)
    {
        var isKnown = _units.TryGetValue(unit.Tag, out var before);
        if (!isKnown && _units.Count >= Most)
        {
            foreach (var old in _units.Where(one => !IsRecent(one.Value.Loop, loop)).Select(one => one.Key).ToList())
            {
                _units.Remove(old);
            }

            if (_units.Count >= Most)
            {
                return false;
            }
        }

        _units[unit.Tag] = (unit, loop);
        return isKnown && before.Unit.Type == unit.Type && IsRecent(before.Loop, loop) && unit.Life < before.Unit.Life;
    }

    /// <summary>The unit of a tag.</summary>
    public SeenUnit? Find(ulong tag) => _units.TryGetValue(tag, out var known) ? known.Unit : null;

    /// <summary>Forgets a unit: it has died.</summary>
    public void Remove(ulong tag) => _units.Remove(tag);

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
}
