using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Pathing;

namespace Sc2Bridge.Games;

/// <summary>The cells of a map, and the cells that the units of one observation occupy. Not thread-safe.</summary>
internal sealed class BlockingUnits
{
    private readonly bool[] _pathable;
    private readonly bool[] _placeable;
    private readonly bool[] _free;
    private readonly bool[] _walkable;
    private readonly WalkableCells _cells;
    private readonly Dictionary<ulong, Unit> _units = [];

    private BlockingUnits(CellGrid grid, bool[] pathable, bool[] placeable)
    {
        (Grid, _pathable, _placeable) = (grid, pathable, placeable);
        (_free, _walkable) = ([.. placeable], [.. pathable]);
        _cells = new WalkableCells(grid, pathable);
        Paths = new PathFinder(_cells, new DistanceFields(grid, pathable, pathable, cell => [cell]));
    }

    /// <summary>The map's cells.</summary>
    public CellGrid Grid { get; }

    /// <summary>Finds paths around the units.</summary>
    public PathFinder Paths { get; }

    /// <summary>The units of the loaded observation.</summary>
    public IEnumerable<Unit> Units => _units.Values;

    /// <summary>Reads a match's grids.</summary>
    /// <exception cref="RefusedException">The grids are missing, or their format is not supported.</exception>
    public static BlockingUnits Of(ResponseGameInfo info)
    {
        if (info.StartRaw is not { PathingGrid: { } pathing, PlacementGrid: { } placement })
        {
            throw new RefusedException("The recording has no map grids, because it lacks the raw interface: record the match again with the raw interface");
        }

        if (pathing.Size is not { X: > 0 and <= 1024, Y: > 0 and <= 1024 } size || !size.Equals(placement.Size))
        {
            throw new RefusedException($"The recording's map grids have the invalid sizes {pathing.Size} and {placement.Size}: record the match again");
        }

        var grid = new CellGrid(size.X, size.Y);
        return new BlockingUnits(grid, UnpackBits(pathing, grid), UnpackBits(placement, grid));
    }

    /// <summary>Unpacks a grid with one bit for each cell. The first cell is in the highest bit of a byte.</summary>
    /// <exception cref="RefusedException">The image has another format, or is too short.</exception>
    public static bool[] UnpackBits(ImageData image, CellGrid grid)
    {
        var cells = new bool[grid.Width * grid.Height];
        var bits = image.Data.Span;
        if (image.BitsPerPixel != 1 || bits.Length < (cells.Length + 7) / 8)
        {
            throw new RefusedException(
                $"The recording's grids have {image.BitsPerPixel} bits for each cell in {bits.Length} bytes: record the match again, with 1 bit for each cell");
        }

        for (var cell = 0; cell < cells.Length; cell++)
        {
            cells[cell] = (bits[cell >> 3] & (0x80 >> (cell & 7))) != 0;
        }

        return cells;
    }

    /// <summary>Replaces all units with the units of an observation.</summary>
    public void Load(ObservationRaw? raw, BlockingShapes shapes)
    {
        _placeable.CopyTo(_free, 0);
        _pathable.CopyTo(_walkable, 0);
        _units.Clear();
        foreach (var unit in raw?.Units ?? [])
        {
            if (unit.Pos is null)
            {
                continue;
            }

            _units[unit.Tag] = unit;
            if (unit.IsFlying || unit.DisplayType == DisplayType.Placeholder
                || shapes.Of(unit.UnitType) is not { } shape)
            {
                continue;
            }

            var (x, y) = Grid.PlaceAt(unit.Pos.X, unit.Pos.Y);
            shape.Mark(Grid, x, y, _free, false);
            if (!Footprint.IsWalkedOver((int)unit.UnitType))
            {
                shape.Mark(Grid, x, y, _walkable, false);
            }
        }

        for (var cell = 0; cell < _walkable.Length; cell++)
        {
            _cells.Set(cell, _walkable[cell]);
        }
    }

    /// <summary>Finds a unit; null if no unit with this tag is visible.</summary>
    public Unit? Find(ulong tag) => _units.GetValueOrDefault(tag);

    /// <summary>Whether the cells that a building at this position needs are free.</summary>
    public bool Fits(Footprint building, int x, int y) => building.Fits(Grid, x, y, _free);

    /// <summary>Whether a unit can stand at a position.</summary>
    public bool FitsUnit(int x, int y) => _cells.WalkableAt(x, y);
}
