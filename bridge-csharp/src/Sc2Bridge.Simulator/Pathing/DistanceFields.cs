namespace Sc2Bridge.Simulator.Pathing;

/// <summary>Distances along the ground to goals. A field is computed when it is first needed. Thread-safe, so games can share it.</summary>
/// <param name="map">The map.</param>
/// <param name="pathable">For each cell, whether the bare ground can be walked on.</param>
/// <param name="open">For each cell, whether it can be walked on if the neutral units are in place.</param>
/// <param name="covered">All cells of the unit on a cell that is not open.</param>
public sealed class DistanceFields(CellGrid map, bool[] pathable, bool[] open, Func<int, IEnumerable<int>> covered)
{
    /// <summary>The distance of a cell without a route to the goal.</summary>
    public const ushort Unreached = ushort.MaxValue;

    /// <summary>A step along an axis. With this unit, a field reaches over 1,000 cells.</summary>
    public const int Straight = 64;

    /// <summary>A diagonal step: 64 times the square root of 2, rounded.</summary>
    public const int Diagonal = 91;

    // A field has 2 bytes for each cell: 400 fields of the largest map are 32 MB. A field that is computed again is the same, so
    // clearing the cache only costs time.
    private const int Kept = 400;
    private readonly Dictionary<int, ushort[]> _made = [];

    /// <summary>Whether a cell can be walked on.</summary>
    /// <param name="cell">The cell's number.</param>
    public bool IsOpen(int cell) => open[cell];

    /// <summary>The distance of each cell from a goal.</summary>
    /// <param name="goal">The goal's cell.</param>
    /// <returns>A shared field that must not be written, in 1/64 of a cell. <see cref="Unreached"/> without a route. A
    /// cell that is not open has the distance of the route out of it, but no route leads through it.</returns>
    public ushort[] To(int goal)
    {
        lock (_made)
        {
            if (_made.TryGetValue(goal, out var known))
            {
                return known;
            }
        }

        var field = Make(goal);
        lock (_made)
        {
            if (_made.Count >= Kept)
            {
                _made.Clear();
            }

            _made[goal] = field;
        }

        return field;
    }

    /// <summary>Dial's algorithm: Dijkstra's algorithm with a bucket for each distance, in a ring that is longer than one step.</summary>
    private ushort[] Make(int goal)
    {
        const int Ring = 128;
        var field = new ushort[map.Width * map.Height];
        Array.Fill(field, Unreached);
        var buckets = new List<int>[Ring];
        for (var i = 0; i < Ring; i++)
        {
            buckets[i] = [];
        }

        // If a unit stands on the goal, the route ends at the unit's edge.
        foreach (var cell in open[goal] ? [goal] : covered(goal))
        {
            field[cell] = 0;
            buckets[0].Add(cell);
        }

        var waiting = buckets[0].Count;
        for (var distance = 0; waiting > 0; distance++)
        {
            var bucket = buckets[distance % Ring];
            for (var i = 0; i < bucket.Count; i++)
            {
                var cell = bucket[i];
                if (field[cell] == distance && (open[cell] || distance == 0))
                {
                    waiting += Spread(field, buckets, cell, distance);
                }
            }

            waiting -= bucket.Count;
            bucket.Clear();
        }

        return field;

        int Spread(ushort[] field, List<int>[] buckets, int cell, int distance)
        {
            var added = 0;
            var (column, row) = (cell % map.Width, cell / map.Width);
            for (var dy = -1; dy <= 1; dy++)
            {
                for (var dx = -1; dx <= 1; dx++)
                {
                    // Routes do not cut corners: a diagonal step needs both cells next to it.
                    var next = cell + (dy * map.Width) + dx;
                    var diagonal = dx != 0 && dy != 0;
                    var far = distance + (diagonal ? Diagonal : Straight);
                    if (map.Contains(column + dx, row + dy) && far < field[next] && pathable[next]
                        && (!diagonal || (open[cell + dx] && open[cell + (dy * map.Width)])))
                    {
                        field[next] = (ushort)far;
                        buckets[far % Ring].Add(next);
                        added++;
                    }
                }
            }

            return added;
        }
    }
}
