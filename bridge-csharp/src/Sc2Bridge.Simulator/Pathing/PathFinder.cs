
namespace Sc2Bridge.Simulator.Pathing;

/// <summary>Finds routes from cell to cell (A*) around cliffs and obstacles, and straightens them.</summary>
public sealed class PathFinder
{
    private const int Straight = DistanceFields.Straight;
    private const int Diagonal = DistanceFields.Diagonal;

    // For longer distances in cells, the map's distance field guides the search. It then visits few cells outside the route.
    private const int Far = 24;

    // The minimum distance of a route's end from the cell's edge, so that the unit does not overlap an obstacle in the next cell.
    private const int Margin = 5 * CellGrid.Cell / 16;

    // If a route cannot arrive, it may end this much farther from the goal than the nearest point.
    private const int Slack = CellGrid.Cell / 8;

    private readonly CellGrid _map;
    private readonly WalkableCells _ground;
    private readonly DistanceFields _distances;
    private int[] _cost = [];
    private int[] _from = [];
    private int[] _search = [];
    private readonly List<int> _cells = [];
    private ulong[] _heap = new ulong[256];
    private int _heapCount;
    private int _searches;
    private bool _exact;

    /// <summary>Creates a path finder for the cells of a map.</summary>
    /// <param name="cells">The cells.</param>
    /// <param name="distances">
    /// Distance fields of the same map. Their open cells must include all walkable cells. They only guide the search.
    /// </param>
    public PathFinder(WalkableCells cells, DistanceFields distances)
    {
        ArgumentNullException.ThrowIfNull(cells);
        (_map, _ground, _distances) = (cells.Grid, cells, distances);
    }

    /// <summary>Finds a route that leads within reach of a point, or as near as possible.</summary>
    /// <param name="x">The start.</param>
    /// <param name="y">The start.</param>
    /// <param name="goalX">The goal.</param>
    /// <param name="goalY">The goal.</param>
    /// <param name="reach">The distance from the goal that is near enough, in 1/4096 of a cell.</param>
    /// <param name="loop">The current loop.</param>
    public Way Find(int x, int y, int goalX, int goalY, int reach, int loop)
    {
        var start = _map.CellAt(x, y);
        if (_ground.Walkable(start) && _ground.WalkableAt(goalX, goalY) && _ground.Clear(x, y, goalX, goalY))
        {
            return Make([(goalX, goalY)], arrives: true);
        }

        // A unit that is caught in a building first leaves it.
        start = _ground.Walkable(start) ? start : _ground.NearestWalkable(x, y);
        if (start < 0)
        {
            return Make([], arrives: false);
        }

        var part = _ground.PartOf(start);
        var goal = _map.CellAt(goalX, goalY);
        var open = _ground.PartOf(goal) == part;
        var (near, steer) = (reach, goal);
        if (!open)
        {
            // The goal is occupied, or no route leads there. Every point about as near as the nearest walkable cell is accepted.
            var nearest = _ground.NearestWalkable(goalX, goalY, part);
            var (nearestX, nearestY) = Nearest(nearest, goalX, goalY);
            near = Math.Max(reach, Geometry.Length(nearestX - goalX, nearestY - goalY) + Slack);
            near = Within(nearest, goalX, goalY, reach) ? reach : near;
            steer = _distances.IsOpen(goal) ? goal : nearest;
        }

        var end = Search(start, goal, steer, goalX, goalY, near);
        var (endX, endY) = open && end == goal ? (goalX, goalY) : Nearest(end, goalX, goalY);
        return Make(Corners(start, end, x, y, endX, endY), open || Within(end, goalX, goalY, reach));

        Way Make(List<(int X, int Y)> corners, bool arrives) =>
            new(corners, goalX, goalY, arrives) { Version = _ground.Version, Made = loop, Progress = loop };
    }

    /// <summary>The length of the route between two points, in 1/4096 of a cell; -1 if no route exists.</summary>
    /// <remarks>The shortest route from cell to cell, straightened. The call changes nothing in the world.</remarks>
    public int Distance(int x, int y, int goalX, int goalY)
    {
        if (!_map.Contains(x >> CellGrid.CellBits, y >> CellGrid.CellBits)
            || !_map.Contains(goalX >> CellGrid.CellBits, goalY >> CellGrid.CellBits)
            || !_ground.WalkableAt(goalX, goalY))
        {
            return -1;
        }

        _exact = true;
        var way = Find(x, y, goalX, goalY, 0, 0);
        _exact = false;
        if (!way.Arrives)
        {
            return -1;
        }

        var length = 0;
        for (; way.Count > 0; way.Pass())
        {
            length += Geometry.Length(way.Next.X - x, way.Next.Y - y);
            (x, y) = way.Next;
        }

        return length;
    }

    // The estimate is raised above the real distance: units' routes may be an eighth longer than the shortest one, but are found
    // much faster if there is an obstacle before the goal that the estimate does not include.
    private int Weighed(int estimate) => _exact ? estimate : estimate + (estimate / 8);

    private bool Within(int cell, int x, int y, int reach)
    {
        var (nearestX, nearestY) = Nearest(cell, x, y);
        long dx = nearestX - x;
        long dy = nearestY - y;
        return (dx * dx) + (dy * dy) <= (long)reach * reach;
    }

    // The point in a cell that is nearest to another point.
    private (int X, int Y) Nearest(int cell, int x, int y)
    {
        const int Free = (CellGrid.Cell / 2) - Margin;
        var (middleX, middleY) = _map.Middle(cell);
        return (Math.Clamp(x, middleX - Free, middleX + Free), Math.Clamp(y, middleY - Free, middleY + Free));
    }

    /// <summary>The last cell of the search: the goal, or the first cell within reach of the point.</summary>
    private int Search(int start, int goal, int steer, int goalX, int goalY, int reach)
    {
        var (goalColumn, goalRow) = (goal % _map.Width, goal / _map.Width);
        ushort[]? field = null;
        field = Estimate(start) > Far * Straight ? _distances.To(steer) : null;
        field = field is not null && field[start] == DistanceFields.Unreached ? null : field;
        if (_cost.Length == 0)
        {
            // On flat ground, most matches never need a search.
            var cells = _map.Width * _map.Height;
            (_cost, _from, _search) = (new int[cells], new int[cells], new int[cells]);
        }

        _searches++;
        _heapCount = 0;
        (_cost[start], _from[start], _search[start]) = (0, start, _searches);
        Push(start, Weighed(Estimate(start)), Estimate(start));
        while (_heapCount > 0)
        {
            var (cell, total, left) = Pop();
            if (total - Weighed(left) != _cost[cell])
            {
                continue; // a shorter route to the cell has been found since
            }

            if (cell == goal || Within(cell, goalX, goalY, reach))
            {
                return cell;
            }

            Spread(cell);
        }

        return start;

        int Estimate(int cell)
        {
            if (field is not null && field[cell] != DistanceFields.Unreached)
            {
                return field[cell];
            }

            var (dx, dy) = (Math.Abs((cell % _map.Width) - goalColumn), Math.Abs((cell / _map.Width) - goalRow));
            return (Straight * Math.Max(dx, dy)) + ((Diagonal - Straight) * Math.Min(dx, dy));
        }

        void Spread(int cell)
        {
            var width = _map.Width;
            var (column, row) = (cell % width, cell / width);
            var (left, right) = (Free(column > 0, cell - 1), Free(column < width - 1, cell + 1));
            var (below, above) = (Free(row > 0, cell - width), Free(row < _map.Height - 1, cell + width));
            Go(left, cell, cell - 1, Straight);
            Go(right, cell, cell + 1, Straight);
            Go(below, cell, cell - width, Straight);
            Go(above, cell, cell + width, Straight);

            // Routes do not cut corners: a diagonal step needs both cells next to it.
            Go(left && below && _ground.Walkable(cell - width - 1), cell, cell - width - 1, Diagonal);
            Go(right && below && _ground.Walkable(cell - width + 1), cell, cell - width + 1, Diagonal);
            Go(left && above && _ground.Walkable(cell + width - 1), cell, cell + width - 1, Diagonal);
            Go(right && above && _ground.Walkable(cell + width + 1), cell, cell + width + 1, Diagonal);
        }

        bool Free(bool inside, int cell) => inside && _ground.Walkable(cell);

        void Go(bool can, int cell, int next, int step)
        {
            var cost = _cost[cell] + step;
            if (can && (_search[next] != _searches || cost < _cost[next]))
            {
                (_cost[next], _from[next], _search[next]) = (cost, cell, _searches);
                var estimate = Estimate(next);
                Push(next, cost + Weighed(estimate), estimate);
            }
        }
    }

    /// <summary>The fewest corners of a route along the cells that were found, the last corner first.</summary>
    private List<(int X, int Y)> Corners(int start, int end, int x, int y, int endX, int endY)
    {
        _cells.Clear();
        for (var cell = end; cell != start; cell = _from[cell])
        {
            _cells.Add(cell);
        }

        var corners = new List<(int X, int Y)>();
        if (!_ground.WalkableAt(x, y))
        {
            (x, y) = _map.Middle(start);
            corners.Add((x, y));
        }

        for (var i = _cells.Count - 1; i >= 0; i--)
        {
            var (nextX, nextY) = i == 0 ? (endX, endY) : _map.Middle(_cells[i]);
            if (!_ground.Clear(x, y, nextX, nextY))
            {
                // The corner is at the previous cell, because its center is in sight. Between the centers of neighbours, there is no obstacle.
                var corner = i == _cells.Count - 1 ? _map.Middle(start) : _map.Middle(_cells[i + 1]);
                if (corners.Count == 0 || corners[^1] != corner)
                {
                    corners.Add(corner);
                    (x, y) = corner;
                }
            }
        }

        corners.Add((endX, endY));
        corners.Reverse();
        return corners;
    }

    // A binary heap of total << 40 | estimate << 20 | cell. If totals are equal, the cell nearer to the goal comes first.
    private void Push(int cell, int total, int estimate)
    {
        if (_heapCount == _heap.Length)
        {
            Array.Resize(ref _heap, _heap.Length * 2);
        }

        var key = ((ulong)total << 40) | ((ulong)estimate << 20) | (uint)cell;
        var at = _heapCount++;
        for (var above = (at - 1) / 2; at > 0 && _heap[above] > key; above = (at - 1) / 2)
        {
            _heap[at] = _heap[above];
            at = above;
        }

        _heap[at] = key;
    }

    private (int Cell, int Total, int Estimate) Pop()
    {
        var first = _heap[0];
        var last = _heap[--_heapCount];
        var at = 0;
        for (var below = 1; below < _heapCount; below = (2 * at) + 1)
        {
            below += below + 1 < _heapCount && _heap[below + 1] < _heap[below] ? 1 : 0;
            if (_heap[below] >= last)
            {
                break;
            }

            _heap[at] = _heap[below];
            at = below;
        }

        _heap[at] = last;
        return ((int)(first & 0xFFFFF), (int)(first >> 40), (int)((first >> 20) & 0xFFFFF));
    }
}
