using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// Keeps units apart: in each loop it pushes overlapping units a little, and moves units out of buildings that were placed on them.
/// </summary>
/// <remarks>Workers that gather or return minerals pass through each other, as in the game.</remarks>
internal sealed class Crowd : Copyable
{
    private const int LongestPush = Geometry.Cell / 8; // the longest push in one loop

    // Units up to this radius look one cell around for small units. Larger ones look two cells around.
    private const int Small = Geometry.Cell / 2;
    private const int Large = 2;

    private GameWorld _world;
    private int[] _first = [];
    private int[] _next = [];
    private Unit[] _units = [];
    private int[] _cells = [];
    private int[] _sorts = [];
    private int _count;

    public Crowd(GameWorld world) => _world = world;

    /// <summary>Pushes all units for one loop.</summary>
    public void Push()
    {
        Gather();
        for (var i = 0; i < _count; i++)
        {
            PushFrom(i);
        }

        for (var i = 0; i < _count; i++)
        {
            _first[_cells[i]] = -1;
        }

        Expel();
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies) // The arrays have no content between two loops.
        => (_world, _first, _next, _units, _cells, _sorts) = (copies.Of(_world), [], [], [], [], []);

    private static bool CanBePushed(Unit unit)
    {
        if (!unit.Alive || !unit.Present || unit.Type.Speed == 0 || unit.Type.Id == UnitId.Larva
            || unit.Owner == GameWorld.Neutral || unit.Change is not null || unit.Type.Is(Kind.Structure))
        {
            return false;
        }

        return !unit.Type.Is(Kind.Worker) || unit.Order is not { } order
            || AbilityKinds.Of(order.Ability) is not (AbilityKind.Gather or AbilityKind.Return or AbilityKind.Build);
    }

    // A unit that fights or moves yields less than an idle unit.
    private static int Firmness(Unit unit) => unit.Engaged is not null ? 2 : unit.Orders.Count > 0 ? 1 : 0;

    private void Gather()
    {
        var units = _world.Units;
        if (_first.Length == 0)
        {
            _first = new int[_world.Map.Width * _world.Map.Height];
            Array.Fill(_first, -1);
        }

        if (_units.Length < units.Count)
        {
            var most = units.Count * 2;
            (_units, _next, _cells, _sorts) = (new Unit[most], new int[most], new int[most], new int[most]);
        }

        _count = 0;
        foreach (var unit in units)
        {
            if (CanBePushed(unit))
            {
                var cell = _world.Map.CellAt(unit.X, unit.Y);
                (_units[_count], _cells[_count], _next[_count]) = (unit, cell, _first[cell]);
                _sorts[_count] = (unit.Type.Radius <= Small ? 0 : Large) + (unit.Flying ? 1 : 0);
                _first[cell] = _count++;
            }
        }
    }

    private void PushFrom(int index)
    {
        var (unit, sort, sorts, first, next) = (_units[index], _sorts[index], _sorts, _first, _next);
        var width = _world.Map.Width;
        var (column, row) = (_cells[index] % width, _cells[index] / width);
        var (around, before) = sort < Large ? (1, index) : (2, -1);
        var (left, right) = (Math.Max(0, column - around), Math.Min(width - 1, column + around));
        for (var y = Math.Max(0, row - around); y <= Math.Min(_world.Map.Height - 1, row + around); y++)
        {
            for (var x = left; x <= right; x++)
            {
                // Each pair is handled once: by the larger unit, or by the older of two of one size. A cell lists its youngest unit first,
                // so the loop of a small unit ends at the first older one.
                for (var i = first[(y * width) + x]; i > before; i = next[i])
                {
                    if (sorts[i] == sort ? i > index : sorts[i] == sort - Large)
                    {
                        PushApart(unit, _units[i]);
                    }
                }
            }
        }
    }

    private void PushApart(Unit one, Unit other)
    {
        var (dx, dy) = (other.X - one.X, other.Y - one.Y);
        var room = one.Type.Radius + other.Type.Radius;
        if (Math.Abs(dx) >= room || Math.Abs(dy) >= room)
        {
            return;
        }

        var distance = Geometry.Length(dx, dy);
        if (distance >= room)
        {
            return;
        }

        if (distance == 0)
        {
            // Two units at one point part in a direction that depends on their numbers, so that a group does not form a line.
            (dx, dy, distance) = ((other.Number % 7) - 3, (other.Number % 5) - 2, 4);
            (dx, dy) = dx == 0 && dy == 0 ? (4, 0) : (dx, dy);
        }

        var push = Math.Min(room - distance, LongestPush);
        var quarters = 2 + Math.Sign(Firmness(one) - Firmness(other));
        var mine = push * (4 - quarters) / 4;
        var theirs = push * quarters / 4;
        Movement.Shift(_world, one, (int)((long)-dx * mine / distance), (int)((long)-dy * mine / distance));
        Movement.Shift(_world, other, (int)((long)dx * theirs / distance), (int)((long)dy * theirs / distance));
    }

    /// <summary>Moves units out of buildings that were placed on them. The worker that builds it may stay.</summary>
    private void Expel()
    {
        var ground = _world.Ground;
        foreach (var unit in _world.Units)
        {
            if (unit.Alive && unit.Present && unit.Type.Speed > 0 && !unit.Flying && unit.Owner != GameWorld.Neutral
                && !ground.WalkableAt(unit.X, unit.Y) && unit.Order?.Made is null
                && ground.NearestWalkable(unit.X, unit.Y) is >= 0 and var cell)
            {
                (unit.X, unit.Y) = _world.Map.Middle(cell);
                unit.Way = null;
            }
        }
    }
}
