using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Fights;

/// <summary>The ground of a map for fights that begin from observations. Thread-safe.</summary>
public sealed class FightField
{
    private const int Largest = 512;

    // The fight's part of the map extends this far around the units.
    private const int Margin = 12;

    private readonly bool[] _pathable;
    private readonly bool[] _placeable;
    private readonly byte[] _heights;
    private readonly bool[] _slopes;

    /// <summary>Reads the ground.</summary>
    /// <param name="start">The grids of GameInfo. They are not trusted.</param>
    /// <exception cref="FormatException">A grid is missing or has a wrong size.</exception>
    public FightField(StartRaw? start)
    {
        (Width, Height) = (start?.MapSize?.X ?? 0, start?.MapSize?.Y ?? 0);
        if (Width is < 1 or > Largest || Height is < 1 or > Largest)
        {
            throw new FormatException($"the map has {Width} by {Height} cells: give game_info.start_raw of a map with 1 to {Largest}");
        }

        _pathable = Read(start!.PathingGrid, "pathing_grid", 1, 8, (bits, cell) => bits[cell] != 0);
        _placeable = Read(start.PlacementGrid, "placement_grid", 1, 8, (bits, cell) => bits[cell] != 0);
        _heights = Read(start.TerrainHeight, "terrain_height", 8, 8, (bytes, cell) => bytes[cell]);
        _slopes = [.. Enumerable.Range(0, _heights.Length).Select(IsSlope)];
    }

    /// <summary>Cells along x.</summary>
    public int Width { get; }

    /// <summary>Cells along y.</summary>
    public int Height { get; }

    /// <summary>Plays a fight. Both sides attack. Equal arguments give equal results.</summary>
    /// <param name="units">All units near the fight. Those that cannot fight are obstacles.</param>
    /// <param name="upgrades">The own upgrades and the enemy's, as ids of UpgradeData.</param>
    /// <param name="creep">One bit for each cell, as in MapState.creep; empty if there is no creep.</param>
    /// <param name="loops">The longest duration, in game loops.</param>
    /// <param name="seed">The seed for what an observation does not show.</param>
    /// <param name="lives">Gets the units' lives at the end.</param>
    /// <exception cref="ArgumentException">A unit or the creep is invalid. The message says which.</exception>
    public FightResult Play(
        ReadOnlySpan<FightUnit> units, (IReadOnlyList<int> Own, IReadOnlyList<int> Enemy) upgrades, ReadOnlySpan<byte> creep, int loops,
        uint seed, Span<FightLife> lives)
    {
        if (creep.Length > 0 && creep.Length != ((Width * Height) + 7) / 8)
        {
            throw new ArgumentException($"creep of {creep.Length} bytes: give {((Width * Height) + 7) / 8} or none");
        }

        var roles = FightRoles.Of(this, units);
        var area = AreaAround(units, roles);
        var world = new GameWorld(MakeMap(area, units, roles), FightRules.Players, seed);
        CopyCreep(creep, area, world);
        return new Fight(world, area, units, roles, upgrades).Play(loops, lives);
    }

    private CellArea AreaAround(ReadOnlySpan<FightUnit> units, Role[] roles)
    {
        var (left, low, right, high) = (Width / 2f, Height / 2f, Width / 2f, Height / 2f);
        var first = true;
        for (var i = 0; i < units.Length; i++)
        {
            if (roles[i] > Role.Obstacle)
            {
                var (x, y) = (units[i].X, units[i].Y);
                (left, low, right, high) = first ? (x, y, x, y)
                    : (Math.Min(left, x), Math.Min(low, y), Math.Max(right, x), Math.Max(high, y));
                first = false;
            }
        }

        return new CellArea(
            Math.Max(0, (int)left - Margin), Math.Max(0, (int)low - Margin), Math.Min(Width, (int)right + Margin + 1),
            Math.Min(Height, (int)high + Margin + 1));
    }

    private GameMap MakeMap(CellArea area, ReadOnlySpan<FightUnit> units, Role[] roles)
    {
        var (width, height) = (area.X1 - area.X0, area.Y1 - area.Y0);
        var (pathable, placeable, heights) = (new bool[width * height], new bool[width * height], new byte[width * height]);
        var slopes = new List<int>();
        for (var y = 0; y < height; y++)
        {
            var from = ((area.Y0 + y) * Width) + area.X0;
            _pathable.AsSpan(from, width).CopyTo(pathable.AsSpan(y * width));
            _placeable.AsSpan(from, width).CopyTo(placeable.AsSpan(y * width));
            _heights.AsSpan(from, width).CopyTo(heights.AsSpan(y * width));
            for (var x = 0; x < width; x++)
            {
                if (_slopes[from + x])
                {
                    slopes.Add((y * width) + x);
                }
            }
        }

        var grid = new CellGrid(width, height);
        for (var i = 0; i < units.Length; i++)
        {
            if (roles[i] == Role.Obstacle && TechTree.Unit((int)units[i].Type) is var type && !type.Is(Kind.WalkedOver))
            {
                var (x, y) = (FightRules.Place(units[i].X - area.X0), FightRules.Place(units[i].Y - area.Y0));
                Ground.ShapeOf(type)?.Mark(grid, x, y, pathable, false);
            }
        }

        var sketch = new MapSketch(
            "", width, height, new CellArea(0, 0, width, height), 2, ResourceTypes.Usual, [], [], [], []);
        return new GameMap(sketch, pathable, placeable, heights, [new MapRamp([], [], [.. slopes])], FightRules.Scenario);
    }

    private void CopyCreep(ReadOnlySpan<byte> creep, CellArea area, GameWorld world)
    {
        var (width, to) = (area.X1 - area.X0, world.Creep.Bits);
        for (var cell = 0; creep.Length > 0 && cell < width * (area.Y1 - area.Y0); cell++)
        {
            var from = ((area.Y0 + (cell / width)) * Width) + area.X0 + (cell % width);
            to[cell >> 3] |= (creep[from >> 3] & (0x80 >> (from & 7))) != 0 ? (byte)(0x80 >> (cell & 7)) : (byte)0;
        }
    }

    // Ground that is pathable and not placeable is a ramp, or a vision blocker if it is level.
    private bool IsSlope(int cell)
    {
        var (x, y) = (cell % Width, cell / Width);
        if (!_pathable[cell] || _placeable[cell])
        {
            return false;
        }

        for (var near = 0; near < 9; near++)
        {
            var (column, row) = (x - 1 + (near % 3), y - 1 + (near / 3));
            if (column >= 0 && row >= 0 && column < Width && row < Height
                && _pathable[(row * Width) + column] && _heights[(row * Width) + column] != _heights[cell])
            {
                return true;
            }
        }

        return false;
    }

    private T[] Read<T>(ImageData? image, string name, int least, int most, Func<byte[], int, T> read)
    {
        var bits = image?.BitsPerPixel ?? 0;
        var bytes = image?.Data.ToByteArray() ?? [];
        if ((bits != least && bits != most) || image!.Size?.X != Width || image.Size.Y != Height
            || bytes.Length != ((Width * Height * bits) + 7) / 8)
        {
            throw new FormatException(
                $"start_raw.{name} has {bytes.Length} bytes and {bits} bits for each cell: give the grid of a map of {Width} by {Height}");
        }

        if (bits == 1)
        {
            bytes = [.. Enumerable.Range(0, Width * Height).Select(cell => (byte)(bytes[cell >> 3] & (0x80 >> (cell & 7))))];
        }

        return [.. Enumerable.Range(0, Width * Height).Select(cell => read(bytes, cell))];
    }
}
