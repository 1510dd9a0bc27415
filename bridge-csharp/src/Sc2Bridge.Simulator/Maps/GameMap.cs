using Sc2Bridge.Protocol;

namespace Sc2Bridge.Simulator.Maps;

/// <summary>A map: its grids and neutral units. Immutable, created once and shared by all games on it.</summary>
/// <remarks>
/// The grids follow the rules that real messages show. A test checks these rules on 8 maps of the game. Grids with an
/// entry for each cell go row by row from the bottom.
/// <list type="bullet">
/// <item>Outside the playable area, no cell is pathable or placeable, and the height is 0.</item>
/// <item>Levels are 191, 207 and 223 (z 8, 10 and 12), and a chasm is 127 (z 0). The edge of a cliff is not pathable and
/// has the height of its plateau.</item>
/// <item>Pathable cells are placeable, except for ramps and vision blockers. Vision blockers are pathable, not placeable,
/// and level. Client libraries distinguish them from ramps in this way.</item>
/// <item>Resources, rocks and town halls are in neither grid. The game's placement grid never shows them. Its pathing grid
/// shows them only if the player that asks sees them. At loop 0, these are exactly the 21 cells of its town hall, its
/// eight mineral fields and its two geysers. So both grids here are the bare ground, and <see cref="Open"/> includes the
/// neutral units.</item>
/// </list>
/// </remarks>
internal sealed class GameMap : CellGrid
{
    private static readonly Lazy<GameMap[]> _made = new(() => [.. MapSketches.All.Select(s => new Terrain(s).Make())]);
    private static readonly Lazy<GameMap[]> _melee = new(() => Array.FindAll(_made.Value, map => map.Melee));

    /// <summary>Called by <see cref="Terrain"/>, or for a map that a scenario draws.</summary>
    internal GameMap(
        MapSketch sketch, bool[] pathable, bool[] placeable, byte[] heights, MapRamp[] ramps, Scenario? scenario = null)
        : base(sketch.Width, sketch.Height)
    {
        Name = sketch.Name;
        Playable = sketch.Playable;
        Pathable = pathable;
        Placeable = placeable;
        TerrainHeight = heights;
        Ramps = ramps;
        var objects = new MapObjects(sketch);
        Scenario = scenario;
        var starts = scenario?.Players.Select(p => new MapBase(p.Start.X, p.Start.Y, [], [])).ToArray();
        Bases = [.. starts ?? [], .. objects.Bases];
        Starts = starts is null ? objects.Starts : [.. Enumerable.Range(0, starts.Length)];
        Melee = sketch.Melee;
        Neutrals = objects.Neutrals;
        Open = [.. pathable];
        foreach (var neutral in Neutrals.Where(n => n.Blocks))
        {
            neutral.Footprint.Mark(this, neutral.X, neutral.Y, Open, false);
        }

        Distances = new DistanceFields(this, pathable, Open, CellsUnder);
    }

    /// <summary>Every map on which players begin with a base.</summary>
    public static IReadOnlyList<GameMap> All => _melee.Value;

    /// <summary>The name that the game reports.</summary>
    public string Name { get; }

    /// <summary>The map's file name, relative to the game's Maps folder.</summary>
    public string FileName => Name.Replace(" ", "", StringComparison.Ordinal) + ".SC2Map";

    /// <summary>Whether players begin with a base, and lose with their last building.</summary>
    public bool Melee { get; }

    /// <summary>The playable area.</summary>
    public CellArea Playable { get; }

    /// <summary>For each cell, whether the bare ground can be walked on.</summary>
    public bool[] Pathable { get; }

    /// <summary>For each cell, whether the bare ground can be built on.</summary>
    public bool[] Placeable { get; }

    /// <summary>For each cell, its height in the game's encoding: z = height * 32 / 255 - 16.</summary>
    public byte[] TerrainHeight { get; }

    /// <summary>For each cell, whether it can be walked on if all neutral units are in place.</summary>
    public bool[] Open { get; }

    /// <summary>Every base.</summary>
    public MapBase[] Bases { get; }

    /// <summary>The bases at which players start, as indexes. The first two are opposite each other.</summary>
    public int[] Starts { get; }

    /// <summary>Distances between points along the ground, around the neutral units.</summary>
    public DistanceFields Distances { get; }

    /// <summary>All neutral units: the bases' resources, rocks, watch towers.</summary>
    public Neutral[] Neutrals { get; }

    /// <summary>Every ramp.</summary>
    public MapRamp[] Ramps { get; }

    /// <summary>The scenario on this map; null for a match that begins with bases.</summary>
    public Scenario? Scenario { get; }

    /// <summary>Finds a map by its name. Spaces, case, folders and the extension are ignored.</summary>
    /// <param name="name">A name (<c>Cinder Fortress LE</c>) or a path (<c>Ladder/CinderFortressLE.SC2Map</c>).</param>
    /// <returns>The map, or null if it does not exist.</returns>
    public static GameMap? Find(string name) =>
        MapName.Find(name, _made.Value.Select(map => map.Name)) is { } found ? Array.Find(_made.Value, map => map.Name == found) : null;

    /// <summary>The distance between two points along the ground, in 1/4096 of a cell, in whole steps from cell to
    /// cell; -1 if no route exists. <see cref="PathFinder"/> is more exact and considers buildings.</summary>
    /// <param name="fromX">In 1/4096 of a cell.</param>
    /// <param name="fromY">In 1/4096 of a cell.</param>
    /// <param name="toX">In 1/4096 of a cell.</param>
    /// <param name="toY">In 1/4096 of a cell.</param>
    public int GroundDistance(int fromX, int fromY, int toX, int toY)
    {
        var far = Distances.To(CellAt(toX, toY))[CellAt(fromX, fromY)];
        return far == DistanceFields.Unreached ? -1 : far * (Cell / DistanceFields.Straight);
    }

    // All cells of the neutral unit on a cell.
    private IEnumerable<int> CellsUnder(int cell) =>
        Neutrals.Select(n => n.Footprint.Cells(this, n.X, n.Y)).FirstOrDefault(cells => cells.Contains(cell)) ?? [cell];
}
