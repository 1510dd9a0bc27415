namespace Sc2Bridge.Simulator.Pathing;

/// <summary>
/// Distances along the ground to goals, made when first asked for. Safe to share between games, and by several threads.
/// </summary>
/// <param name="map">The map.</param>
/// <param name="pathable">For each cell, whether the bare ground can be walked on.</param>
/// <param name="open">For each cell, whether it can be walked on with what always stands there.</param>
/// <param name="covered">All cells of what stands on a cell that is not open.</param>
public sealed class DistanceFields(CellGrid map, bool[] pathable, bool[] open, Func<int, IEnumerable<int>> covered)
{
    /// <summary>No way leads there.</summary>
    public const ushort Unreached = ushort.MaxValue;

    /// <summary>A step along an axis; a whole field then reaches over 1,000 cells of way.</summary>
    public const int Straight = 64;

    /// <summary>A diagonal step: 64 times the root of 2, rounded.</summary>
    public const int Diagonal = 91;

    // A field is 2 bytes a cell: 400 of the largest map's are 32 MB. What is made again is the same, so that dropping
    // them all now and then changes nothing but time.
    private const int Kept = 400;
    private readonly Dictionary<int, ushort[]> _made = [];

    /// <summary>Whether a cell can be walked on.</summary>
    /// <param name="cell">Its number.</param>
    public bool IsOpen(int cell) => open[cell];

    /// <summary>How far each cell is from a goal.</summary>
    /// <param name="goal">Its cell.</param>
    /// <returns>A shared field, not to be written, in 1/64 of a cell; <see cref="Unreached"/> where there is no way. A
    /// cell that is not open has the way out of it, and no way leads through it.</returns>
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

    /// <summary>Dial's algorithm: Dijkstra's with a bucket for each distance, in a ring longer than one step.</summary>
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

        // Who goes to what stands somewhere goes to its edge.
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
                    // No cutting of corners: a diagonal step needs both cells beside it.
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
