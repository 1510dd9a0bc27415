namespace Sc2Bridge.Recordings.Analysis;

/// <summary>Follows the town halls of all players. Not thread-safe.</summary>
internal sealed class TownHalls
{
    /// <summary>The town halls that are listed. A long match has some 50.</summary>
    public const int Most = 500;

    private static readonly HashSet<string> _names =
    [
        "CommandCenter", "CommandCenterFlying", "OrbitalCommand", "OrbitalCommandFlying", "PlanetaryFortress",
        "Hatchery", "Lair", "Hive", "Nexus",
    ];

    private readonly Dictionary<ulong, (int Owner, TownHall Hall)> _halls = [];

    /// <summary>Whether a type of this name is a town hall.</summary>
    public static bool IsOne(string name) => _names.Contains(name);

    /// <summary>Notes a town hall.</summary>
    public void See(in SeenUnit unit, string name, uint loop)
    {
        var isFinished = unit.Progress >= 1;
        if (_halls.TryGetValue(unit.Tag, out var known))
        {
            var finished = known.Hall.FinishedLoop ?? (known.Hall.IsExpansion && isFinished ? loop : (uint?)null);
            _halls[unit.Tag] = (known.Owner, known.Hall with { Name = name, FinishedLoop = finished });
        }
        else if (_halls.Count < Most)
        {
            _halls[unit.Tag] = (
                unit.Owner, new TownHall(name, Math.Round(unit.X, 1), Math.Round(unit.Y, 1), loop, !isFinished, null, null));
        }
    }

    /// <summary>Notes that a unit died, if it is a town hall.</summary>
    public void AddLoss(ulong tag, uint loop)
    {
        if (_halls.TryGetValue(tag, out var known))
        {
            _halls[tag] = (known.Owner, known.Hall with { LostLoop = known.Hall.LostLoop ?? loop });
        }
    }

    /// <summary>The town halls of a player, ordered by <c>SeenLoop</c>.</summary>
    public IReadOnlyList<TownHall> Of(uint player) =>
        [.. _halls.Values.Where(one => one.Owner == player).Select(one => one.Hall).OrderBy(hall => hall.SeenLoop)];
}
