namespace Sc2Bridge.Simulator.Maps;

/// <summary>Finds ways along the ground. It keeps its working memory: one for each game, on one thread.</summary>
/// <param name="map">The map.</param>
internal sealed class PathFinder(GameMap map)
{
    // Steps from cell to cell, in 1/4096 of a cell: 4096 times the root of 2 is 5792.6.
    private const int Straight = GameMap.Cell;
    private const int Diagonal = 5793;

    private readonly int[] _distance = new int[map.Width * map.Height];
    private readonly int[] _from = new int[map.Width * map.Height];
    private readonly int[] _stamp = new int[map.Width * map.Height];
    private readonly PriorityQueue<int, long> _open = new();
    private readonly List<int> _cells = [];
    private readonly List<(int X, int Y)> _way = [];
    private int _round;

    /// <summary>How long the way is from a place to another, in 1/4096 of a cell; -1 where there is none.</summary>
    /// <param name="fromX">In 1/4096 of a cell.</param>
    /// <param name="fromY">In 1/4096 of a cell.</param>
    /// <param name="toX">In 1/4096 of a cell.</param>
    /// <param name="toY">In 1/4096 of a cell.</param>
    /// <param name="blocked">The cells that something stands on; null for the map's neutral units.</param>
    public int PathDistance(int fromX, int fromY, int toX, int toY, bool[]? blocked = null)
    {
        if (!Route(fromX, fromY, toX, toY, _way, blocked))
        {
            return -1;
        }

        var length = 0;
        var (x, y) = (fromX, fromY);
        foreach (var (nextX, nextY) in _way)
        {
            length += Length(nextX - x, nextY - y);
            (x, y) = (nextX, nextY);
        }

        return length;
    }

    /// <summary>Finds the turns of a way: straight lines between them are clear.</summary>
    /// <param name="fromX">In 1/4096 of a cell.</param>
    /// <param name="fromY">In 1/4096 of a cell.</param>
    /// <param name="toX">In 1/4096 of a cell.</param>
    /// <param name="toY">In 1/4096 of a cell.</param>
    /// <param name="way">Filled with the places to go to, in 1/4096 of a cell, the goal last.</param>
    /// <param name="blocked">The cells that something stands on; null for the map's neutral units.</param>
    /// <param name="within">How near to the goal is enough, in 1/4096 of a cell: for a goal that something stands on.
    /// The last place is then that cell's middle.</param>
    /// <returns>Whether there is a way. The cell it begins in may be blocked.</returns>
    public bool Route(
        int fromX, int fromY, int toX, int toY, List<(int X, int Y)> way, bool[]? blocked = null, int within = 0)
    {
        way.Clear();
        if (!map.Holds(fromX >> GameMap.CellBits, fromY >> GameMap.CellBits)
            || !map.Holds(toX >> GameMap.CellBits, toY >> GameMap.CellBits))
        {
            return false;
        }

        var free = blocked is null ? map.Open : map.Pathable;
        var (start, goal) = (map.CellAt(fromX, fromY), map.CellAt(toX, toY));
        if (within == 0 && !IsFree(goal, free, blocked))
        {
            return false;
        }

        if (IsFree(goal, free, blocked) && IsClear(fromX, fromY, toX, toY, free, blocked))
        {
            way.Add((toX, toY));
            return true;
        }

        var end = Search(start, goal, toX, toY, within, free, blocked);
        if (end < 0)
        {
            return false;
        }

        Straighten(fromX, fromY, end == goal ? (toX, toY) : map.Middle(end), start, end, way, free, blocked);
        return true;
    }

    /// <summary>Whether a straight line leads over free cells only.</summary>
    /// <param name="fromX">In 1/4096 of a cell.</param>
    /// <param name="fromY">In 1/4096 of a cell.</param>
    /// <param name="toX">In 1/4096 of a cell.</param>
    /// <param name="toY">In 1/4096 of a cell.</param>
    /// <param name="blocked">The cells that something stands on; null for the map's neutral units.</param>
    public bool IsClear(int fromX, int fromY, int toX, int toY, bool[]? blocked = null) =>
        IsClear(fromX, fromY, toX, toY, blocked is null ? map.Open : map.Pathable, blocked);

    private static bool IsFree(int cell, bool[] free, bool[]? blocked) =>
        free[cell] && (blocked is null || !blocked[cell]);

    /// <summary>The length of a vector, rounded down.</summary>
    private static int Length(long dx, long dy)
    {
        // Newton's method on whole numbers: the same on any machine.
        var square = (dx * dx) + (dy * dy);
        if (square == 0)
        {
            return 0;
        }

        var root = Math.Max(Math.Abs(dx), Math.Abs(dy)) * 2;
        while (true)
        {
            var next = (root + (square / root)) / 2;
            if (next >= root)
            {
                return (int)root;
            }

            root = next;
        }
    }

    /// <summary>Goes through every cell that the line touches; the one it begins in does not count.</summary>
    private bool IsClear(int fromX, int fromY, int toX, int toY, bool[] free, bool[]? blocked)
    {
        var (x, y) = (fromX >> GameMap.CellBits, fromY >> GameMap.CellBits);
        var (endX, endY) = (toX >> GameMap.CellBits, toY >> GameMap.CellBits);
        var (stepX, stepY) = (Math.Sign(toX - fromX), Math.Sign(toY - fromY));
        long dx = Math.Abs(toX - fromX);
        long dy = Math.Abs(toY - fromY);

        // How far along each axis the next border between cells is.
        long nextX = stepX > 0 ? ((x + 1) << GameMap.CellBits) - fromX : fromX - (x << GameMap.CellBits);
        long nextY = stepY > 0 ? ((y + 1) << GameMap.CellBits) - fromY : fromY - (y << GameMap.CellBits);
        while (x != endX || y != endY)
        {
            // Which border the line meets first: nextX / dx against nextY / dy.
            var order = (x == endX ? 1 : y == endY ? -1 : (nextX * dy).CompareTo(nextY * dx));
            if (order == 0
                && !(IsFree((y * map.Width) + x + stepX, free, blocked)
                    && IsFree(((y + stepY) * map.Width) + x, free, blocked)))
            {
                return false;
            }

            if (order <= 0)
            {
                x += stepX;
                nextX += GameMap.Cell;
            }

            if (order >= 0)
            {
                y += stepY;
                nextY += GameMap.Cell;
            }

            if (!IsFree((y * map.Width) + x, free, blocked))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>A* with the distance on an empty grid as estimate.</summary>
    /// <returns>The last cell, or -1.</returns>
    private int Search(int start, int goal, int toX, int toY, int within, bool[] free, bool[]? blocked)
    {
        _round++;
        _open.Clear();
        var (goalX, goalY) = (goal % map.Width, goal / map.Width);
        long nearEnough = (long)within * within;
        _distance[start] = 0;
        _from[start] = -1;
        _stamp[start] = _round;
        _open.Enqueue(start, Priority(start, 0));
        while (_open.TryDequeue(out var cell, out var priority))
        {
            var distance = _distance[cell];
            if (priority != Priority(cell, distance))
            {
                continue; // A shorter way to it was found since.
            }

            if (cell == goal || IsNear(cell))
            {
                return cell;
            }

            var (column, row) = (cell % map.Width, cell / map.Width);
            for (var dy = -1; dy <= 1; dy++)
            {
                for (var dx = -1; dx <= 1; dx++)
                {
                    var next = cell + (dy * map.Width) + dx;
                    if (!map.Holds(column + dx, row + dy) || !IsFree(next, free, blocked))
                    {
                        continue;
                    }

                    var diagonal = dx != 0 && dy != 0;
                    if (diagonal
                        && !(IsFree(cell + dx, free, blocked) && IsFree(cell + (dy * map.Width), free, blocked)))
                    {
                        continue;
                    }

                    var far = distance + (diagonal ? Diagonal : Straight);
                    if (_stamp[next] != _round || far < _distance[next])
                    {
                        _stamp[next] = _round;
                        _distance[next] = far;
                        _from[next] = cell;
                        _open.Enqueue(next, Priority(next, far));
                    }
                }
            }
        }

        return -1;

        // The cell breaks ties, so that the order of two equal ones is no matter of the queue's inner workings.
        long Priority(int cell, int distance)
        {
            var dx = Math.Abs((cell % map.Width) - goalX);
            var dy = Math.Abs((cell / map.Width) - goalY);
            var left = (Math.Abs(dx - dy) * Straight) + (Math.Min(dx, dy) * Diagonal);
            return ((long)(distance + Math.Max(0, left - (2 * within))) << 32) | (uint)cell;
        }

        bool IsNear(int cell)
        {
            var (x, y) = map.Middle(cell);
            long dx = x - toX;
            long dy = y - toY;
            return within > 0 && (dx * dx) + (dy * dy) <= nearEnough;
        }
    }

    /// <summary>Leaves out every cell of a way that need not be turned at.</summary>
    private void Straighten(
        int fromX,
        int fromY,
        (int X, int Y) end,
        int start,
        int last,
        List<(int X, int Y)> way,
        bool[] free,
        bool[]? blocked)
    {
        _cells.Clear();
        for (var cell = last; cell != start; cell = _from[cell])
        {
            _cells.Add(cell);
        }

        var (x, y) = (fromX, fromY);
        for (var i = _cells.Count - 1; i > 0; i--)
        {
            var (nextX, nextY) = i == 1 ? end : map.Middle(_cells[i - 1]);
            if (!IsClear(x, y, nextX, nextY, free, blocked))
            {
                (x, y) = map.Middle(_cells[i]);
                way.Add((x, y));
            }
        }

        way.Add(end);
    }
}
