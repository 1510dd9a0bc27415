
namespace Sc2Bridge.Simulator.Pathing;

/// <summary>Finds ways from cell to cell (A*), round cliffs and all that stands, and draws them straight.</summary>
public sealed class PathFinder
{
    private const int Straight = DistanceFields.Straight;
    private const int Diagonal = DistanceFields.Diagonal;

    // Farther than so many cells, the map's own distances steer the search: it then looks at little more than the way.
    private const int Far = 24;

    // How near to a cell's edge a way ends at most, so that the unit's body stays out of what stands in the next cell.
    private const int Margin = 5 * CellGrid.Cell / 16;

    // How much farther than the nearest place a way may end if it cannot arrive.
    private const int Slack = CellGrid.Cell / 8;

    private readonly CellGrid _map;
    private readonly WalkableCells _ground;
    private readonly DistanceFields _distances;
    private readonly int[] _cost;
    private readonly int[] _from;
    private readonly int[] _search;
    private readonly List<int> _cells = [];
    private ulong[] _heap = new ulong[256];
    private int _heapCount;
    private int _searches;
    private bool _exact;

    /// <summary>For the cells of a map.</summary>
    /// <param name="cells">The cells.</param>
    /// <param name="distances">
    /// Those of the same map with no less ground that can be walked on: they steer searches, and find no way.
    /// </param>
    public PathFinder(WalkableCells cells, DistanceFields distances)
    {
        ArgumentNullException.ThrowIfNull(cells);
        (_map, _ground, _distances) = (cells.Grid, cells, distances);
        _cost = new int[_map.Width * _map.Height];
        _from = new int[_cost.Length];
        _search = new int[_cost.Length];
    }

    /// <summary>A way that leads within reach of a place, or as near as can be.</summary>
    /// <param name="x">From.</param>
    /// <param name="y">From.</param>
    /// <param name="goalX">To.</param>
    /// <param name="goalY">To.</param>
    /// <param name="reach">How near is near enough, in 1/4096 of a cell.</param>
    /// <param name="loop">Now.</param>
    public Way Find(int x, int y, int goalX, int goalY, int reach, int loop)
    {
        var start = _map.CellAt(x, y);
        if (_ground.Walkable(start) && _ground.WalkableAt(goalX, goalY) && _ground.Clear(x, y, goalX, goalY))
        {
            return Make([(goalX, goalY)], arrives: true);
        }

        // Who is caught in a building goes out of it first.
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
            // Something stands there, or it lies elsewhere: any place about as near as the nearest will do.
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

    /// <summary>How long the way between two places is, in 1/4096 of a cell; -1 where there is none.</summary>
    /// <remarks>Of the shortest way from cell to cell, drawn straight; it changes nothing in the world.</remarks>
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

    // More than the way left can be: units' ways may be an eighth longer than the shortest, and are found far sooner
    // where something stands before the goal that the estimate does not know.
    private int Weighed(int estimate) => _exact ? estimate : estimate + (estimate / 8);

    private bool Within(int cell, int x, int y, int reach)
    {
        var (nearestX, nearestY) = Nearest(cell, x, y);
        long dx = nearestX - x;
        long dy = nearestY - y;
        return (dx * dx) + (dy * dy) <= (long)reach * reach;
    }

    // The place in a cell that is nearest to another place.
    private (int X, int Y) Nearest(int cell, int x, int y)
    {
        const int Free = (CellGrid.Cell / 2) - Margin;
        var (middleX, middleY) = _map.Middle(cell);
        return (Math.Clamp(x, middleX - Free, middleX + Free), Math.Clamp(y, middleY - Free, middleY + Free));
    }

    /// <summary>The cell in which the search ended: the goal, or the first one within reach of the place.</summary>
    private int Search(int start, int goal, int steer, int goalX, int goalY, int reach)
    {
        var (goalColumn, goalRow) = (goal % _map.Width, goal / _map.Width);
        ushort[]? field = null;
        field = Estimate(start) > Far * Straight ? _distances.To(steer) : null;
        field = field is not null && field[start] == DistanceFields.Unreached ? null : field;
        _searches++;
        _heapCount = 0;
        (_cost[start], _from[start], _search[start]) = (0, start, _searches);
        Push(start, Weighed(Estimate(start)), Estimate(start));
        while (_heapCount > 0)
        {
            var (cell, total, left) = Pop();
            if (total - Weighed(left) != _cost[cell])
            {
                continue; // a shorter way to it was found since
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

            // No cutting of corners: a diagonal step needs both cells beside it.
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

    /// <summary>The fewest corners that a way along the cells found needs, the last first.</summary>
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
                // To the cell before, whose middle is in sight; between neighbours' middles nothing can stand.
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

    // A binary heap of total << 40 | estimate << 20 | cell: of equal totals the nearer to the goal comes first.
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
