namespace Sc2Bridge.Recordings.Analysis;

/// <summary>Groups losses and damage into fights. Its memory is bounded, whatever the match has. Not thread-safe.</summary>
/// <param name="costs">The cost of a unit of a type.</param>
/// <param name="nameOf">The name of a type.</param>
internal sealed class FightFinder(Func<uint, (long Minerals, long Vespene)> costs, Func<uint, string> nameOf)
{
    /// <summary>Cells: what is farther away is not near.</summary>
    public const float Radius = 15;

    /// <summary>A fight is over after so many loops without loss or damage: 10 s.</summary>
    public const uint Quiet = 224;

    /// <summary>The least value that all sides of a listed fight lose together.</summary>
    public const long LeastValue = 100;

    /// <summary>The fights, sides and types of lost units that are listed, all together. A long match has some 1,000.</summary>
    public const int MostRows = 5000;

    /// <summary>A side is ahead if the difference is at least this share of what both lost.</summary>
    public const double LeastLead = 0.2;

    // Of fights at the same time, of a side's units in a fight, and of their types: more than a match has.
    private const int MostOpen = 100;
    private const int MostDamaged = 1000;
    private const int MostTypes = 100;

    private readonly List<OpenFight> _open = [];
    private readonly List<Fight> _ended = [];
    private int _rows;

    /// <summary>Whether a distance is within <see cref="Radius"/>.</summary>
    public static bool IsNear(double x, double y) => (x * x) + (y * y) <= Radius * Radius;

    /// <summary>Adds a loss or damage.</summary>
    /// <param name="loop">When it was seen.</param>
    /// <param name="unit">The unit.</param>
    /// <param name="isLoss">Whether the unit died.</param>
    /// <param name="others">The other players nearby: bit n for player n. Without any, it is no part of a fight.</param>
    public void Add(uint loop, in SeenUnit unit, bool isLoss, uint others)
    {
        EndQuiet(loop);
        if (others == 0)
        {
            return;
        }

        var (x, y) = (unit.X, unit.Y);
        var fight = _open.Where(one => IsNear(one.X - x, one.Y - y))
            .MinBy(one => Math.Pow(one.X - x, 2) + Math.Pow(one.Y - y, 2));
        if (fight is null && _open.Count < MostOpen)
        {
            _open.Add(fight = new OpenFight(loop));
        }

        fight?.Add(loop, unit, isLoss, others, costs);
    }

    /// <summary>The fights of the match, which has ended.</summary>
    public IReadOnlyList<Fight> Finish()
    {
        EndQuiet(null);
        return [.. _ended.OrderBy(fight => fight.FirstLoop)];
    }

    // null: the match has ended.
    private void EndQuiet(uint? loop)
    {
        for (var i = _open.Count - 1; i >= 0; i--)
        {
            var fight = _open[i];
            if (loop is { } now && (long)now - fight.LastLoop <= Quiet)
            {
                continue;
            }

            _open.RemoveAt(i);
            if (fight.Value >= LeastValue && _rows + fight.Rows <= MostRows)
            {
                _rows += fight.Rows;
                _ended.Add(fight.End(nameOf));
            }
        }
    }

    private sealed class OpenFight(uint firstLoop)
    {
        private readonly SortedDictionary<int, OpenSide> _sides = [];
        private double _sumX;
        private double _sumY;
        private long _events;

        public uint FirstLoop { get; } = firstLoop;

        public uint LastLoop { get; private set; } = firstLoop;

        public double X => _sumX / _events;

        public double Y => _sumY / _events;

        public long Value => _sides.Values.Sum(side => side.Value);

        public int Rows => 1 + _sides.Values.Sum(side => 1 + side.Types);

        public void Add(uint loop, in SeenUnit unit, bool isLoss, uint others, Func<uint, (long Minerals, long Vespene)> costs)
        {
            LastLoop = Math.Max(LastLoop, loop);
            (_sumX, _sumY, _events) = (_sumX + unit.X, _sumY + unit.Y, _events + 1);
            Side(unit.Owner).Add(unit, isLoss, costs(unit.Type));
            for (var player = 0; others >> player != 0; player++)
            {
                if ((others >> player & 1) != 0)
                {
                    Side(player);
                }
            }
        }

        public Fight End(Func<uint, string> nameOf)
        {
            var byLoss = _sides.OrderBy(side => side.Value.Value).Take(2).ToList();
            var (least, next) = (byLoss[0].Value.Value, byLoss[1].Value.Value);
            return new Fight(
                FirstLoop, LastLoop, Math.Round(X, 1), Math.Round(Y, 1),
                next - least >= LeastLead * (next + least) ? (uint)byLoss[0].Key : 0,
                [.. _sides.Select(side => side.Value.End((uint)side.Key, nameOf))]);
        }

        private OpenSide Side(int player)
        {
            if (!_sides.TryGetValue(player, out var side))
            {
                _sides[player] = side = new OpenSide();
            }

            return side;
        }
    }

    private sealed class OpenSide
    {
        private readonly HashSet<ulong> _damaged = [];
        private readonly Dictionary<uint, int> _lost = [];
        private long _minerals;
        private long _vespene;

        public long Value => _minerals + _vespene;

        public int Types => _lost.Count;

        public void Add(in SeenUnit unit, bool isLoss, (long Minerals, long Vespene) cost)
        {
            if (!isLoss)
            {
                if (_damaged.Count < MostDamaged)
                {
                    _damaged.Add(unit.Tag);
                }

                return;
            }

            _damaged.Remove(unit.Tag);
            (_minerals, _vespene) = (_minerals + cost.Minerals, _vespene + cost.Vespene);
            if (_lost.TryGetValue(unit.Type, out var count) || _lost.Count < MostTypes)
            {
                _lost[unit.Type] = count + 1;
            }
        }

        public FightSide End(uint player, Func<uint, string> nameOf) => new(
            player, _minerals, _vespene, _damaged.Count,
            [
                .. _lost.OrderByDescending(lost => lost.Value).ThenBy(lost => lost.Key)
                    .Select(lost => new LostUnits(lost.Key, nameOf(lost.Key), lost.Value)),
            ]);
    }
}
