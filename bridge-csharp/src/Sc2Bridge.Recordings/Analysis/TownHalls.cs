namespace Sc2Bridge.Recordings.Analysis;

/// <summary>Collects the town halls of all players. Not thread-safe.</summary>
internal sealed class TownHalls
{
    /// <summary>The maximum number of town halls. A long match has about 50.</summary>
    public const int MostHalls = 500;

    private static readonly HashSet<string> _names =
    [
        "CommandCenter", "CommandCenterFlying", "OrbitalCommand", "OrbitalCommandFlying", "PlanetaryFortress",
        "Hatchery", "Lair", "Hive", "Nexus",
    ];

    private readonly Dictionary<ulong, (int Owner, TownHall Hall)> _halls = [];

    /// <summary>Whether the unit type with this name is a town hall.</summary>
    public static bool IsTownHall(string name) => _names.Contains(name);

    /// <summary>Adds or updates a town hall.</summary>
    public void Update(in SeenUnit unit, string name, uint loop)
    {
        var isFinished = unit.Progress >= 1;
        if (_halls.TryGetValue(unit.Tag, out var known))
        {
            var finished = known.Hall.FinishedLoop ?? (known.Hall.IsExpansion && isFinished ? loop : (uint?)null);
            _halls[unit.Tag] = (known.Owner, known.Hall with { Name = name, FinishedLoop = finished });
        }
        else if (_halls.Count < MostHalls)
        {
            _halls[unit.Tag] = (
                unit.Owner, new TownHall(name, Math.Round(unit.X, 1), Math.Round(unit.Y, 1), loop, !isFinished, null, null));
        }
    }

    /// <summary>Adds the loop in which a unit died, if the unit is a known town hall.</summary>
    public void AddLoss(ulong tag, uint loop)
    {
        if (_halls.TryGetValue(tag, out var known))
        {
            _halls[tag] = (known.Owner, known.Hall with { LostLoop = known.Hall.LostLoop ?? loop });
        }
    }

    /// <summary>The town halls of a player, ordered by <c>SeenLoop</c>.</summary>
    public IReadOnlyList<TownHall> Of(uint player) =>
        [.. _halls.Values.Where(entry => entry.Owner == player).Select(entry => entry.Hall).OrderBy(hall => hall.SeenLoop)];
}
