namespace Sc2Bridge.Simulator.World;

/// <summary>A base: where a town hall goes, and what is mined beside it. Places in 1/4096 of a cell.</summary>
/// <param name="X">The town hall's middle.</param>
/// <param name="Y">The town hall's middle.</param>
/// <param name="Minerals">Eight mineral fields, near and far alternating.</param>
/// <param name="Geysers">Two geysers.</param>
/// <param name="Spots">Where buildings go, nearest first.</param>
internal sealed record MapBase(
    int X, int Y, (int X, int Y)[] Minerals, (int X, int Y)[] Geysers, (int X, int Y)[] Spots);

/// <summary>The grids of a map, made once and shared by all games on it.</summary>
internal sealed class GameMap
{
    private const int Unreached = ushort.MaxValue;
    private static readonly System.Collections.Concurrent.ConcurrentDictionary<string, GameMap> Made = new();
    private readonly ushort[][] _fields;

    private GameMap(MapDescription description)
    {
        Description = description;
        Width = description.Width;
        Height = description.Height;
        var terrain = new MapTerrain(description);
        Pathable = terrain.Pathable;
        Placeable = terrain.Placeable;
        TerrainHeight = terrain.Heights;
        Bases = terrain.Bases;
        Debris = terrain.Debris;
        _fields = [.. Bases.Select(b => Distances(b.X / Geometry.Cell, b.Y / Geometry.Cell))];
    }

    /// <summary>What it was made of.</summary>
    public MapDescription Description { get; }

    /// <summary>Cells along x.</summary>
    public int Width { get; }

    /// <summary>Cells along y.</summary>
    public int Height { get; }

    /// <summary>For each cell, row by row from below, whether units on the ground can be there.</summary>
    public bool[] Pathable { get; }

    /// <summary>For each cell, whether buildings can be there.</summary>
    public bool[] Placeable { get; }

    /// <summary>For each cell, the terrain's height as the game codes it: z = height * 32 / 255 - 16.</summary>
    public byte[] TerrainHeight { get; }

    /// <summary>Every base; player n starts on base n - 1 of <see cref="Starts"/>.</summary>
    public MapBase[] Bases { get; }

    /// <summary>Where destructible debris stands.</summary>
    public (int X, int Y)[] Debris { get; }

    /// <summary>The bases that players start on: the first and its mirror image.</summary>
    public int[] Starts => [0, Bases.Length - 1];

    /// <summary>The map of a description.</summary>
    /// <param name="description">Which one.</param>
    public static GameMap Of(MapDescription description) =>
        Made.GetOrAdd(description.Name, static (_, d) => new GameMap(d), description);

    /// <summary>
    /// The steps to a base along the ground from a place, ten to a cell; <see cref="ushort.MaxValue"/> where there is
    /// no way.
    /// </summary>
    /// <param name="toBase">The base's index.</param>
    /// <param name="cell">The cell's index.</param>
    public int DistanceToBase(int toBase, int cell) => _fields[toBase][cell];

    /// <summary>The cell of a place, kept inside the map.</summary>
    /// <param name="x">In 1/4096 of a cell.</param>
    /// <param name="y">In 1/4096 of a cell.</param>
    public int CellAt(int x, int y) =>
        (Math.Clamp(y / Geometry.Cell, 0, Height - 1) * Width) + Math.Clamp(x / Geometry.Cell, 0, Width - 1);

    /// <summary>The base nearest to a place, in a straight line.</summary>
    /// <param name="x">In 1/4096 of a cell.</param>
    /// <param name="y">In 1/4096 of a cell.</param>
    public int NearestBase(int x, int y)
    {
        var best = 0;
        var bestDistance = int.MaxValue;
        for (var i = 0; i < Bases.Length; i++)
        {
            var distance = Geometry.Length(Bases[i].X - x, Bases[i].Y - y);
            if (distance < bestDistance)
            {
                (best, bestDistance) = (i, distance);
            }
        }

        return best;
    }

    /// <summary>
    /// The length of the way along the ground, or 0 where there is none (as the game's query answers).
    /// </summary>
    /// <param name="fromX">In cells.</param>
    /// <param name="fromY">In cells.</param>
    /// <param name="toX">In cells.</param>
    /// <param name="toY">In cells.</param>
    public float PathLength(float fromX, float fromY, float toX, float toY)
    {
        if (!Inside(fromX, fromY) || !Inside(toX, toY))
        {
            return 0;
        }

        var from = ((int)fromY * Width) + (int)fromX;
        if (!Pathable[from] || !Pathable[((int)toY * Width) + (int)toX])
        {
            return 0;
        }

        var distance = Distances((int)toX, (int)toY)[from];
        return distance == Unreached ? 0 : distance / 10f;
    }

    private bool Inside(float x, float y) => x >= 0 && y >= 0 && x < Width && y < Height;

    /// <summary>Dijkstra over the cells with costs 10 and 14, by buckets of equal cost.</summary>
    private ushort[] Distances(int toX, int toY)
    {
        var field = new ushort[Width * Height];
        Array.Fill(field, ushort.MaxValue);
        var queue = new PriorityQueue<int, int>();
        var start = (toY * Width) + toX;
        field[start] = 0;
        queue.Enqueue(start, 0);
        while (queue.TryDequeue(out var cell, out var distance))
        {
            if (distance != field[cell])
            {
                continue;
            }

            var cx = cell % Width;
            var cy = cell / Width;
            for (var dy = -1; dy <= 1; dy++)
            {
                for (var dx = -1; dx <= 1; dx++)
                {
                    if (!Walkable(cx + dx, cy + dy)
                        || (dx != 0 && dy != 0 && !(Walkable(cx + dx, cy) && Walkable(cx, cy + dy))))
                    {
                        continue;
                    }

                    var next = ((cy + dy) * Width) + cx + dx;
                    var far = distance + (dx != 0 && dy != 0 ? 14 : 10);
                    if (far < field[next])
                    {
                        field[next] = (ushort)far;
                        queue.Enqueue(next, far);
                    }
                }
            }
        }

        return field;
    }

    private bool Walkable(int x, int y) => x >= 0 && y >= 0 && x < Width && y < Height && Pathable[(y * Width) + x];
}
