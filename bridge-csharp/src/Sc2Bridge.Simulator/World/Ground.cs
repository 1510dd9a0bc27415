using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.World;

/// <summary>Which cells buildings, resources and debris take: what can be built on, and where units can walk.</summary>
internal sealed class Ground
{
    private readonly GameMap _map;
    private readonly bool[] _walkable;
    private readonly bool[] _buildable;
    private readonly byte[] _standing;
    private readonly byte[] _blocking;
    private readonly ushort[] _parts;
    private readonly int[] _stack;
    private int _partsVersion = -1;

    /// <summary>The bare ground of a map.</summary>
    public Ground(GameMap map)
    {
        _map = map;
        _walkable = [.. map.Pathable];
        _buildable = [.. map.Placeable];
        _standing = new byte[_walkable.Length];
        _blocking = new byte[_walkable.Length];
        _parts = new ushort[_walkable.Length];
        _stack = new int[_walkable.Length];
        Ways = new WayFinder(map, this);
    }

    /// <summary>Finds ways round all that stands.</summary>
    public WayFinder Ways { get; }

    /// <summary>Grows whenever a cell becomes walkable or ceases to be.</summary>
    public int Version { get; private set; }

    /// <summary>Takes the cells of a standing building or resource.</summary>
    public void Take(Unit unit) => Change(unit, 1);

    /// <summary>Gives them back.</summary>
    public void Free(Unit unit) => Change(unit, -1);

    /// <summary>Whether a footprint is on placeable, free ground.</summary>
    /// <param name="footprint">Cells a side; 5 is a town hall's, without its corners.</param>
    /// <param name="x">Its middle, in 1/4096 of a cell.</param>
    /// <param name="y">Its middle, in 1/4096 of a cell.</param>
    public bool Fits(int footprint, int x, int y) => Sides(footprint)?.Fits(_map, x, y, _buildable) ?? true;

    /// <summary>Whether units on the ground can be in a cell now.</summary>
    public bool Walkable(int cell) => _walkable[cell];

    /// <summary>Whether something stands in a cell, be it as low as a lowered depot.</summary>
    public bool Taken(int cell) => _standing[cell] > 0;

    /// <summary>Whether units on the ground can be at a place now.</summary>
    public bool WalkableAt(int x, int y) => _walkable[_map.CellAt(x, y)];

    /// <summary>Which connected part of the walkable ground a cell is in; 0: it is not walkable.</summary>
    public int PartOf(int cell)
    {
        if (_partsVersion != Version)
        {
            _partsVersion = Version;
            LabelParts();
        }

        return _parts[cell];
    }

    /// <summary>The walkable cell nearest to a place, or -1 where there is none.</summary>
    /// <param name="x">In 1/4096 of a cell.</param>
    /// <param name="y">In 1/4096 of a cell.</param>
    /// <param name="part">The part of the ground that it must be in (<see cref="PartOf"/>); 0: any.</param>
    public int NearestWalkable(int x, int y, int part = 0)
    {
        var (cx, cy) = (x / Geometry.Cell, y / Geometry.Cell);
        var best = -1;
        var bestSquare = long.MaxValue;
        for (var ring = 0; ring < Math.Max(_map.Width, _map.Height); ring++)
        {
            // A cell of a later ring is at least so far away.
            var least = Math.Max(0, ring - 1L) * Geometry.Cell;
            if (best >= 0 && least * least > bestSquare)
            {
                break;
            }

            for (var dy = -ring; dy <= ring; dy++)
            {
                var step = Math.Abs(dy) == ring || ring == 0 ? 1 : 2 * ring;
                for (var dx = -ring; dx <= ring; dx += step)
                {
                    var (column, row) = (cx + dx, cy + dy);
                    var cell = (row * _map.Width) + column;
                    if (!_map.Holds(column, row) || !_walkable[cell]
                        || (part != 0 && PartOf(cell) != part))
                    {
                        continue;
                    }

                    var (middleX, middleY) = _map.Middle(cell);
                    long ox = middleX - x;
                    long oy = middleY - y;
                    if ((ox * ox) + (oy * oy) < bestSquare)
                    {
                        (best, bestSquare) = (cell, (ox * ox) + (oy * oy));
                    }
                }
            }
        }

        return best;
    }

    /// <summary>Whether every cell on the straight line between two places is walkable.</summary>
    public bool Clear(int fromX, int fromY, int toX, int toY)
    {
        var (column, row) = (fromX / Geometry.Cell, fromY / Geometry.Cell);
        var (lastColumn, lastRow) = (toX / Geometry.Cell, toY / Geometry.Cell);
        var (stepX, stepY) = (Math.Sign(toX - fromX), Math.Sign(toY - fromY));
        long runX = Math.Abs((long)toX - fromX);
        long runY = Math.Abs((long)toY - fromY);

        // How far the next border of a column and of a row are, each scaled by the other's run so that they compare.
        var (inX, inY) = (fromX % Geometry.Cell, fromY % Geometry.Cell);
        var acrossX = runY * (stepX > 0 ? Geometry.Cell - inX : inX);
        var acrossY = runX * (stepY > 0 ? Geometry.Cell - inY : inY);
        var left = Math.Abs(lastColumn - column) + Math.Abs(lastRow - row);
        for (; left > 0; left--)
        {
            if (row == lastRow || (column != lastColumn && acrossX <= acrossY))
            {
                column += stepX;
                acrossX += runY * Geometry.Cell;
            }
            else
            {
                row += stepY;
                acrossY += runX * Geometry.Cell;
            }

            if (!_map.Holds(column, row) || !_walkable[(row * _map.Width) + column])
            {
                return false;
            }
        }

        return true;
    }

    private void Change(Unit unit, int by)
    {
        var blocks = Blocks(unit.Type);
        foreach (var cell in ShapeOf(unit.Type)?.Cells(_map, unit.X, unit.Y) ?? [])
        {
            _standing[cell] = (byte)(_standing[cell] + by);
            _buildable[cell] = _map.Placeable[cell] && _standing[cell] == 0;
            if (!blocks)
            {
                continue;
            }

            _blocking[cell] = (byte)(_blocking[cell] + by);
            var walkable = _map.Pathable[cell] && _blocking[cell] == 0;
            if (walkable != _walkable[cell])
            {
                _walkable[cell] = walkable;
                Version++;
            }
        }
    }

    // Sizes of the neutral ones: of the game's own pathing grids; ResponseData has none for them.
    private static Footprint? ShapeOf(UnitType type) => type.Id switch
    {
        _ when type.Is(Kind.Minerals) => Footprint.Mineral,
        149 or 472 or 473 or 474 => Footprint.Two,
        364 or 370 or 628 or 638 => Footprint.Rocks4,
        365 or 371 or 629 or 639 => Footprint.Rocks6,

        // What has legs (an uprooted spine crawler) stands nowhere.
        _ => type.Speed > 0 ? null : Sides(type.Footprint),
    };

    private static Footprint? Sides(int footprint) => footprint switch
    {
        0 => null,
        1 => Footprint.One,
        2 => Footprint.Two,
        3 => Footprint.Three,
        _ => Footprint.TownHall,
    };

    // Lowered depots, creep tumours, and the plates that only forbid building.
    private static bool Blocks(UnitType type) => type.Id is not (47 or 87 or 137 or 138 or 472 or 473 or 474);

    private void LabelParts()
    {
        Array.Clear(_parts);
        ushort part = 0;
        for (var cell = 0; cell < _parts.Length; cell++)
        {
            if (_walkable[cell] && _parts[cell] == 0)
            {
                Flood(cell, ++part);
            }
        }
    }

    private void Flood(int start, ushort part)
    {
        var width = _map.Width;
        var top = 0;
        _parts[start] = part;
        _stack[top++] = start;
        while (top > 0)
        {
            var cell = _stack[--top];
            var column = cell % width;
            Visit(column > 0, cell - 1);
            Visit(column < width - 1, cell + 1);
            Visit(cell >= width, cell - width);
            Visit(cell < _parts.Length - width, cell + width);
        }

        void Visit(bool inside, int next)
        {
            if (inside && _walkable[next] && _parts[next] == 0)
            {
                _parts[next] = part;
                _stack[top++] = next;
            }
        }
    }
}
