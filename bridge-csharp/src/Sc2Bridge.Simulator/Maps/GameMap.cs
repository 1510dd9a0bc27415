using Sc2Bridge.Protocol;

namespace Sc2Bridge.Simulator.Maps;

/// <summary>A map: its grids and what stands on it. Immutable, made once and shared by all games on it.</summary>
/// <remarks>
/// The rules of the grids are those that the real messages show (8 maps of the game, held against these rules in a
/// test); where a grid has an entry for each cell, they go row by row from below:
/// <list type="bullet">
/// <item>Outside the playable area nothing is pathable or placeable, and the height is 0.</item>
/// <item>Levels are 191, 207 and 223 (z 8, 10 and 12), a chasm is 127 (z 0). A cliff's edge is not pathable and has
/// its plateau's height.</item>
/// <item>Placeable is what is pathable, less ramps and less the cells of vision blockers (pathable, not placeable,
/// level all around: that is how client libraries tell the two).</item>
/// <item>Resources, rocks and town halls are in neither grid: the placement grid never shows them, the pathing grid of
/// the game's answer only where the player who asks sees them (at loop 0 exactly the own town hall's 21 cells, and the
/// own eight mineral fields and two geysers). So both grids here are the bare ground; <see cref="Open"/> has the
/// neutral units on it.</item>
/// </list>
/// </remarks>
internal sealed class GameMap : CellGrid
{
    private static readonly Lazy<GameMap[]> _made = new(() => [.. MapSketches.All.Select(s => new Terrain(s).Make())]);
    private static readonly Lazy<GameMap[]> _melee = new(() => Array.FindAll(_made.Value, map => map.Melee));

    /// <summary>Made by <see cref="Terrain"/>, or as a scenario draws it.</summary>
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

    /// <summary>As the game names it.</summary>
    public string Name { get; }

    /// <summary>The file that the map would stand in, below the game's Maps folder.</summary>
    public string FileName => Name.Replace(" ", "", StringComparison.Ordinal) + ".SC2Map";

    /// <summary>Whether players begin with a base, and lose with their last building.</summary>
    public bool Melee { get; }

    /// <summary>The part that is played on.</summary>
    public CellArea Playable { get; }

    /// <summary>For each cell, whether the bare ground can be walked on.</summary>
    public bool[] Pathable { get; }

    /// <summary>For each cell, whether the bare ground can be built on.</summary>
    public bool[] Placeable { get; }

    /// <summary>For each cell, the height as the game codes it: z = height * 32 / 255 - 16.</summary>
    public byte[] TerrainHeight { get; }

    /// <summary>For each cell, whether it can be walked on with every neutral unit in its place.</summary>
    public bool[] Open { get; }

    /// <summary>Every base.</summary>
    public MapBase[] Bases { get; }

    /// <summary>The bases that players start on, as indexes; the first two lie opposite each other.</summary>
    public int[] Starts { get; }

    /// <summary>How far places are from each other along the ground, around the neutral units.</summary>
    public DistanceFields Distances { get; }

    /// <summary>Everything neutral: the bases' resources, rocks, watch towers.</summary>
    public Neutral[] Neutrals { get; }

    /// <summary>Every ramp.</summary>
    public MapRamp[] Ramps { get; }

    /// <summary>What is played on it; null for a match that begins with bases.</summary>
    public Scenario? Scenario { get; }

    /// <summary>Finds a map however its name is written: blanks, case, folders and the ending do not count.</summary>
    /// <param name="name">A name (<c>Cinder Fortress LE</c>) or a path (<c>Ladder/CinderFortressLE.SC2Map</c>).</param>
    /// <returns>The map, or null where there is none of that name.</returns>
    public static GameMap? Find(string name) =>
        MapName.Find(name, _made.Value.Select(map => map.Name)) is { } found ? Array.Find(_made.Value, map => map.Name == found) : null;

    /// <summary>How far a place is from another along the ground, in 1/4096 of a cell, by whole steps from cell to
    /// cell; -1 where there is no way. <see cref="PathFinder"/> is more exact and knows of buildings.</summary>
    /// <param name="fromX">In 1/4096 of a cell.</param>
    /// <param name="fromY">In 1/4096 of a cell.</param>
    /// <param name="toX">In 1/4096 of a cell.</param>
    /// <param name="toY">In 1/4096 of a cell.</param>
    public int GroundDistance(int fromX, int fromY, int toX, int toY)
    {
        var far = Distances.To(CellAt(toX, toY))[CellAt(fromX, fromY)];
        return far == DistanceFields.Unreached ? -1 : far * (Cell / DistanceFields.Straight);
    }

    // All of what stands on a cell.
    private IEnumerable<int> CellsUnder(int cell) =>
        Neutrals.Select(n => n.Footprint.Cells(this, n.X, n.Y)).FirstOrDefault(cells => cells.Contains(cell)) ?? [cell];
}
