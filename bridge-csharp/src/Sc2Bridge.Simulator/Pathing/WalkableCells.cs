namespace Sc2Bridge.Simulator.Pathing;

/// <summary>The cells of a map that ground units can enter, and their connected parts. Not thread-safe.</summary>
public class WalkableCells
{
    private bool[] _walkable;
    private ushort[] _parts;
    private int _partsVersion = -1;

    /// <summary>Creates the cells of a map.</summary>
    /// <param name="grid">The map.</param>
    /// <param name="walkable">For each cell, whether it can be walked on. The array is copied.</param>
    public WalkableCells(CellGrid grid, bool[] walkable)
    {
        ArgumentNullException.ThrowIfNull(grid);
        Grid = grid;
        _walkable = [.. walkable];
        _parts = new ushort[_walkable.Length];
    }

    /// <summary>The map.</summary>
    public CellGrid Grid { get; }

    /// <summary>Increases when a cell becomes walkable or stops being walkable.</summary>
    public int Version { get; private set; }

    /// <summary>Whether ground units can be in a cell now.</summary>
    public bool Walkable(int cell) => _walkable[cell];

    /// <summary>Whether ground units can be at a point now.</summary>
    public bool WalkableAt(int x, int y) => _walkable[Grid.CellAt(x, y)];

    /// <summary>Sets whether a cell is walkable.</summary>
    public void Set(int cell, bool walkable)
    {
        if (walkable != _walkable[cell])
        {
            _walkable[cell] = walkable;
            Version++;
        }
    }

    /// <summary>The connected part of the walkable ground that a cell is in; 0 if it is not walkable.</summary>
    public int PartOf(int cell)
    {
        if (_partsVersion != Version)
        {
            _partsVersion = Version;
            LabelParts();
        }

        return _parts[cell];
    }

    /// <summary>The walkable cell nearest to a point; -1 if there is no such cell.</summary>
    /// <param name="x">In 1/4096 of a cell.</param>
    /// <param name="y">In 1/4096 of a cell.</param>
    /// <param name="part">The part of the ground that the cell must be in (<see cref="PartOf"/>); 0 for any part.</param>
    public int NearestWalkable(int x, int y, int part = 0)
    {
        var (cx, cy) = (x / Geometry.Cell, y / Geometry.Cell);
        var best = -1;
        var bestSquare = long.MaxValue;
        for (var ring = 0; ring < Math.Max(Grid.Width, Grid.Height); ring++)
        {
            // Cells of later rings are at least this far away.
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
                    var cell = (row * Grid.Width) + column;
                    if (!Grid.Contains(column, row) || !_walkable[cell]
                        || (part != 0 && PartOf(cell) != part))
                    {
                        continue;
                    }

                    var (middleX, middleY) = Grid.Middle(cell);
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

    /// <summary>Whether every cell on the straight line between two points is walkable.</summary>
    public bool Clear(int fromX, int fromY, int toX, int toY)
    {
        var (column, row) = (fromX / Geometry.Cell, fromY / Geometry.Cell);
        var (lastColumn, lastRow) = (toX / Geometry.Cell, toY / Geometry.Cell);
        var (stepX, stepY) = (Math.Sign(toX - fromX), Math.Sign(toY - fromY));
        long runX = Math.Abs((long)toX - fromX);
        long runY = Math.Abs((long)toY - fromY);

        // The distances to the next border of a column and of a row. Each is scaled by the other's run, so that they can be compared.
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

            if (!Grid.Contains(column, row) || !_walkable[(row * Grid.Width) + column])
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>A copy of the same class. A derived class replaces its own arrays.</summary>
    protected WalkableCells CopyCells()
    {
        var copy = (WalkableCells)MemberwiseClone();
        (copy._walkable, copy._parts) = ([.. _walkable], [.. _parts]);
        return copy;
    }

    private void LabelParts()
    {
        Array.Clear(_parts);
        var stack = new int[_walkable.Length];
        ushort part = 0;
        for (var cell = 0; cell < _parts.Length; cell++)
        {
            if (_walkable[cell] && _parts[cell] == 0)
            {
                Flood(cell, ++part, stack);
            }
        }
    }

    private void Flood(int start, ushort part, int[] stack)
    {
        var width = Grid.Width;
        var top = 0;
        _parts[start] = part;
        stack[top++] = start;
        while (top > 0)
        {
            var cell = stack[--top];
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
                stack[top++] = next;
            }
        }
    }
}
