using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.World;

/// <summary>Which cells buildings, resources and debris take: what can be built on, and where units can walk.</summary>
internal sealed class Ground : WalkableCells
{
    private readonly GameMap _map;
    private readonly bool[] _buildable;
    private readonly byte[] _standing;
    private readonly byte[] _blocking;

    /// <summary>The bare ground of a map.</summary>
    public Ground(GameMap map)
        : base(map, map.Pathable)
    {
        _map = map;
        _buildable = [.. map.Placeable];
        _standing = new byte[_buildable.Length];
        _blocking = new byte[_buildable.Length];
        Ways = new PathFinder(this, map.Distances);
    }

    /// <summary>Finds ways round all that stands.</summary>
    public PathFinder Ways { get; }

    /// <summary>Takes the cells of a standing building or resource.</summary>
    public void Take(Unit unit) => Change(unit, 1);

    /// <summary>Gives them back.</summary>
    public void Free(Unit unit) => Change(unit, -1);

    /// <summary>Whether a footprint is on placeable, free ground.</summary>
    /// <param name="footprint">Cells a side; 5 is a town hall's, without its corners.</param>
    /// <param name="x">Its middle, in 1/4096 of a cell.</param>
    /// <param name="y">Its middle, in 1/4096 of a cell.</param>
    public bool Fits(int footprint, int x, int y) => Footprint.OfSide(footprint)?.Fits(_map, x, y, _buildable) ?? true;

    /// <summary>The same, were the ground below some buildings free.</summary>
    public bool Fits(int footprint, int x, int y, List<Unit> without)
    {
        var free = without.SelectMany(u => ShapeOf(u.Type)!.Cells(_map, u.X, u.Y)).ToHashSet();
        return Footprint.OfSide(footprint) is not { } shape || shape.Count == shape.Cells(_map, x, y)
            .Count(cell => _buildable[cell] || (free.Contains(cell) && _map.Placeable[cell]));
    }

    /// <summary>Whether something stands in a cell, be it as low as a lowered depot.</summary>
    public bool Taken(int cell) => _standing[cell] > 0;

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

    /// <summary>The cells that a type stands on, or null: what has legs (an uprooted spine crawler) does
    /// nowhere.</summary>
    public static Footprint? ShapeOf(UnitType type) => type.Is(Kind.Minerals) ? Footprint.Mineral
        : Footprint.OfSide(type.OwnFootprint) ?? (type.Speed > 0 ? null : Footprint.OfSide(type.Footprint));
}
