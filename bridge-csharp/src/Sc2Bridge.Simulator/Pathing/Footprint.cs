using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.Pathing;

/// <summary>The cells that a building or resource occupies: a rectangle around its center.</summary>
/// <remarks>
/// Read from the pathing grids of real messages: cells of visible buildings and resources are not pathable. A town hall
/// occupies 21 cells (5x5 without its corners), a geyser 9, a mineral field 2. A rock of 6x6 lacks its corners.
/// </remarks>
public sealed class Footprint
{
    /// <summary>An add-on's center relative to its building, in 1/4096 of a cell: 2.5 cells to the right, 0.5 down.</summary>
    public const int AddOnX = 5 * CellGrid.Cell / 2;

    /// <summary>See <see cref="AddOnX"/>.</summary>
    public const int AddOnY = -CellGrid.Cell / 2;

    private readonly (int X, int Y)[] _cells;

    private Footprint(int width, int height, bool corners = true)
    {
        Width = width;
        Height = height;
        _cells =
        [
            .. from y in Enumerable.Range(0, height)
               from x in Enumerable.Range(0, width)
               where corners || ((x > 0 && x < width - 1) || (y > 0 && y < height - 1))
               select (x, y),
        ];
    }

    /// <summary>1x1: a creep tumor.</summary>
    public static Footprint One { get; } = new(1, 1);

    /// <summary>2x2: a supply depot, pylon, spore crawler, add-on, watch tower.</summary>
    public static Footprint Two { get; } = new(2, 2);

    /// <summary>3x3: most buildings, and a geyser.</summary>
    public static Footprint Three { get; } = new(3, 3);

    /// <summary>5x5 without its corners: a town hall.</summary>
    public static Footprint TownHall { get; } = new(5, 5, corners: false);

    /// <summary>2x1: a mineral field.</summary>
    public static Footprint Mineral { get; } = new(2, 1);

    /// <summary>4x4 rocks.</summary>
    public static Footprint Rocks4 { get; } = new(4, 4);

    /// <summary>6x6 rocks, without the corners.</summary>
    public static Footprint Rocks6 { get; } = new(6, 6, corners: false);

    /// <summary>The footprint of a building with the given side length; null for 0.</summary>
    /// <param name="cells">The length in cells. 5 is a town hall, which lacks the corners.</param>
    public static Footprint? OfSide(int cells) => cells switch
    {
        0 => null,
        1 => One,
        2 => Two,
        3 => Three,
        4 => Rocks4,
        6 => Rocks6,
        _ => TownHall,
    };

    /// <summary>The footprint of a neutral tower, rock or plate. Null for an unknown type.</summary>
    /// <param name="type">The type's id.</param>
    public static Footprint? OfNeutral(int type) => OfSide(TechTree.FindUnit(type)?.OwnFootprint ?? 0);

    /// <summary>
    /// Whether a type only forbids building, and units can walk over it: lowered depots, creep tumours, and plates that
    /// have no other purpose.
    /// </summary>
    /// <param name="type">The type's id.</param>
    public static bool IsWalkedOver(int type) => TechTree.FindUnit(type)?.Is(Kind.WalkedOver) == true;

    /// <summary>Cells along x.</summary>
    public int Width { get; }

    /// <summary>Cells along y.</summary>
    public int Height { get; }

    /// <summary>The number of cells.</summary>
    public int Count => _cells.Length;

    /// <summary>The center nearest to a point at which the footprint covers whole cells.</summary>
    /// <param name="x">In 1/4096 of a cell.</param>
    /// <param name="y">In 1/4096 of a cell.</param>
    /// <returns>In 1/4096 of a cell: n + 0.5 cells for an odd size, n for an even one.</returns>
    public (int X, int Y) Snap(int x, int y) => (OnCells(x, Width), OnCells(y, Height));

    /// <summary>The cells that it covers, as indexes into a map's grids. Cells outside the map are left out.</summary>
    /// <param name="map">The map.</param>
    /// <param name="x">The center, in 1/4096 of a cell.</param>
    /// <param name="y">The center, in 1/4096 of a cell.</param>
    public IEnumerable<int> Cells(CellGrid map, int x, int y)
    {
        var (left, bottom) = Corner(x, y);
        foreach (var (dx, dy) in _cells)
        {
            if (map.Contains(left + dx, bottom + dy))
            {
                yield return ((bottom + dy) * map.Width) + left + dx;
            }
        }
    }

    /// <summary>Whether all cells that it covers are on the map and true in a grid.</summary>
    /// <param name="map">The map.</param>
    /// <param name="x">The center, in 1/4096 of a cell.</param>
    /// <param name="y">The center, in 1/4096 of a cell.</param>
    /// <param name="free">A grid of the map's size.</param>
    public bool Fits(CellGrid map, int x, int y, bool[] free)
    {
        var (left, bottom) = Corner(x, y);
        foreach (var (dx, dy) in _cells)
        {
            if (!map.Contains(left + dx, bottom + dy) || !free[((bottom + dy) * map.Width) + left + dx])
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Writes a value to all cells that it covers.</summary>
    /// <param name="map">The map.</param>
    /// <param name="x">The center, in 1/4096 of a cell.</param>
    /// <param name="y">The center, in 1/4096 of a cell.</param>
    /// <param name="grid">A grid of the map's size.</param>
    /// <param name="value">The value.</param>
    public void Mark(CellGrid map, int x, int y, bool[] grid, bool value)
    {
        var (left, bottom) = Corner(x, y);
        foreach (var (dx, dy) in _cells)
        {
            if (map.Contains(left + dx, bottom + dy))
            {
                grid[((bottom + dy) * map.Width) + left + dx] = value;
            }
        }
    }

    internal static int OnCells(int place, int size)
    {
        var half = (size % 2) * CellGrid.Cell / 2;
        return (((place - half + (CellGrid.Cell / 2)) >> CellGrid.CellBits) << CellGrid.CellBits) + half;
    }

    /// <summary>The lower left cell. The center is first moved so that whole cells are covered.</summary>
    private (int X, int Y) Corner(int x, int y)
    {
        var (snappedX, snappedY) = Snap(x, y);
        return ((snappedX - (Width * CellGrid.Cell / 2)) >> CellGrid.CellBits,
            (snappedY - (Height * CellGrid.Cell / 2)) >> CellGrid.CellBits);
    }
}
