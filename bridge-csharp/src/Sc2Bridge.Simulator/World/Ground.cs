using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.World;

/// <summary>The cells that buildings, resources and debris occupy: where units can build and walk.</summary>
internal sealed class Ground : WalkableCells
{
    private readonly GameMap _map;
    private bool[] _buildable;
    private byte[] _standing;
    private byte[] _blocking;

    /// <summary>Creates the ground of a map without units.</summary>
    public Ground(GameMap map)
        : base(map, map.Pathable)
    {
        _map = map;
        _buildable = [.. map.Placeable];
        _standing = new byte[_buildable.Length];
        _blocking = new byte[_buildable.Length];
        Ways = new PathFinder(this, map.Distances);
    }

    /// <summary>Finds routes around everything that blocks the way.</summary>
    public PathFinder Ways { get; private set; }

    /// <summary>A copy.</summary>
    public Ground Copy()
    {
        var copy = (Ground)CopyCells();
        (copy._buildable, copy._standing, copy._blocking) = ([.. _buildable], [.. _standing], [.. _blocking]);
        copy.Ways = new PathFinder(copy, _map.Distances);
        return copy;
    }

    /// <summary>Marks the cells of a building or resource as occupied.</summary>
    public void Occupy(Unit unit) => Change(unit, 1);

    /// <summary>Frees the cells of a building or resource.</summary>
    public void Free(Unit unit) => Change(unit, -1);

    /// <summary>Whether a footprint is on placeable, free ground.</summary>
    /// <param name="footprint">The length of a side in cells. 5 is a town hall, which lacks the corners.</param>
    /// <param name="x">The center, in 1/4096 of a cell.</param>
    /// <param name="y">The center, in 1/4096 of a cell.</param>
    public bool Fits(int footprint, int x, int y) => Footprint.OfSide(footprint)?.Fits(_map, x, y, _buildable) ?? true;

    /// <summary>Whether a footprint would fit if some buildings were removed.</summary>
    public bool Fits(int footprint, int x, int y, List<Unit> without)
    {
        var free = without.SelectMany(u => ShapeOf(u.Type)!.Cells(_map, u.X, u.Y)).ToHashSet();
        return Footprint.OfSide(footprint) is not { } shape || shape.Count == shape.Cells(_map, x, y)
            .Count(cell => _buildable[cell] || (free.Contains(cell) && _map.Placeable[cell]));
    }

    /// <summary>Whether a cell is occupied, even by a lowered depot that units can walk over.</summary>
    public bool IsOccupied(int cell) => _standing[cell] > 0;

    private void Change(Unit unit, int by)
    {
        var blocks = !unit.Type.Is(Kind.WalkedOver);
        foreach (var cell in ShapeOf(unit.Type)?.Cells(_map, unit.X, unit.Y) ?? [])
        {
            _standing[cell] = (byte)(_standing[cell] + by);
            _buildable[cell] = _map.Placeable[cell] && _standing[cell] == 0;
            if (!blocks)
            {
                continue;
            }

            _blocking[cell] = (byte)(_blocking[cell] + by);
            Set(cell, _map.Pathable[cell] && _blocking[cell] == 0);
        }
    }

    /// <summary>The cells that a type occupies, or null if it occupies none. Mobile types, such as an uprooted spine crawler,
    /// occupy none.</summary>
    public static Footprint? ShapeOf(UnitType type) => type.Is(Kind.Minerals) ? Footprint.Mineral
        : Footprint.OfSide(type.OwnFootprint) ?? (type.Speed > 0 ? null : Footprint.OfSide(type.Footprint));
}
