using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Pathing;

namespace Sc2Bridge.Games;

/// <summary>A map's cells with what an observation shows standing on them. Not thread-safe.</summary>
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
        Ways = new PathFinder(_cells, new DistanceFields(grid, pathable, pathable, cell => [cell]));
    }

    /// <summary>The map's cells.</summary>
    public CellGrid Grid { get; }

    /// <summary>Finds ways round what stands.</summary>
    public PathFinder Ways { get; }

    /// <summary>The units that are shown.</summary>
    public IEnumerable<Unit> Units => _units.Values;

    /// <summary>Reads a match's grids.</summary>
    /// <exception cref="RefusedException">There are none, or in a form that is not read.</exception>
    public static BlockingUnits Of(ResponseGameInfo info)
    {
        if (info.StartRaw is not { PathingGrid: { } pathing, PlacementGrid: { } placement })
        {
            throw new RefusedException("The recording has no grids of the map (it was made without the raw interface)");
        }

        if (pathing.Size is not { X: > 0 and <= 1024, Y: > 0 and <= 1024 } size || !size.Equals(placement.Size))
        {
            throw new RefusedException("The recording's grids have no size of a map");
        }

        var grid = new CellGrid(size.X, size.Y);
        return new BlockingUnits(grid, Bits(pathing, grid), Bits(placement, grid));
    }

    /// <summary>A grid of a bit for each cell, the first in the highest bit of a byte.</summary>
    /// <exception cref="RefusedException">It is none.</exception>
    public static bool[] Bits(ImageData image, CellGrid grid)
    {
        var cells = new bool[grid.Width * grid.Height];
        var bits = image.Data.Span;
        if (image.BitsPerPixel != 1 || bits.Length < (cells.Length + 7) / 8)
        {
            throw new RefusedException(
                $"The recording's grids have {image.BitsPerPixel} bits a cell in {bits.Length} bytes, not 1");
        }

        for (var cell = 0; cell < cells.Length; cell++)
        {
            cells[cell] = (bits[cell >> 3] & (0x80 >> (cell & 7))) != 0;
        }

        return cells;
    }

    /// <summary>Takes what an observation shows in place of what was there.</summary>
    public void Take(ObservationRaw? raw, BlockingShapes shapes)
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

    /// <summary>A unit; null where none of that tag is shown.</summary>
    public Unit? Find(ulong tag) => _units.GetValueOrDefault(tag);

    /// <summary>Whether a building has room.</summary>
    public bool Fits(Footprint building, int x, int y) => building.Fits(Grid, x, y, _free);

    /// <summary>Whether a unit has.</summary>
    public bool FitsUnit(int x, int y) => _cells.WalkableAt(x, y);
}
