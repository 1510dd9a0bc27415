namespace Sc2Bridge.Simulator.Maps;

/// <summary>Distances along the ground to goals, made when first asked for. Safe to share between games.</summary>
internal sealed class DistanceFields(GameMap map)
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

    /// <summary>The field of a goal.</summary>
    /// <param name="goal">Its cell.</param>
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

    /// <summary>The goal; all of what stands on it, so that who goes there goes to its edge.</summary>
    private IEnumerable<int> Seeds(int goal)
    {
        if (map.Open[goal])
        {
            return [goal];
        }

        var covered = map.Neutrals.Select(n => n.Footprint.Cells(map, n.X, n.Y));
        return covered.FirstOrDefault(cells => cells.Contains(goal)) ?? [goal];
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

        foreach (var cell in Seeds(goal))
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
                if (field[cell] == distance && (map.Open[cell] || distance == 0))
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
                    var next = cell + (dy * map.Width) + dx;
                    if (!map.Holds(column + dx, row + dy) || !map.Pathable[next])
                    {
                        continue;
                    }

                    // No cutting of corners: a diagonal step needs both cells beside it.
                    var diagonal = dx != 0 && dy != 0;
                    if (diagonal && !(map.Open[cell + dx] && map.Open[cell + (dy * map.Width)]))
                    {
                        continue;
                    }

                    var far = distance + (diagonal ? Diagonal : Straight);
                    if (far < field[next])
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
