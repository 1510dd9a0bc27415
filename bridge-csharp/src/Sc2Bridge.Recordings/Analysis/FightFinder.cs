namespace Sc2Bridge.Recordings.Analysis;

/// <summary>Groups losses and damage into fights. Its memory is limited for any match. Not thread-safe.</summary>
/// <param name="costOf">Returns the cost of one unit of a unit type.</param>
/// <param name="nameOf">Returns the name of a unit type.</param>
internal sealed class FightFinder(Func<uint, (long Minerals, long Vespene)> costOf, Func<uint, string> nameOf)
{
    /// <summary>Units or events are near each other up to this distance, in cells.</summary>
    public const float Radius = 15;

    /// <summary>A fight ends after this many game loops without loss or damage: 10 s.</summary>
    public const uint QuietLoops = 224;

    /// <summary>A fight is listed if all its sides together lose at least this value.</summary>
    public const long LeastLostValue = 100;

    /// <summary>The maximum number of listed fights, sides and types of lost units together. A long match has about 1,000.</summary>
    public const int MostRows = 5000;

    /// <summary>The side with the smallest loss is ahead if this loss and the next larger loss differ by at least this share of their sum.</summary>
    public const double LeastLead = 0.2;

    // The maximum numbers of simultaneous fights, of a side's damaged units, and of a side's types of lost units. Real matches have fewer.
    private const int MaxOpenFights = 100;
    private const int MaxDamagedUnits = 1000;
    private const int MaxLostTypes = 100;

    private readonly List<OpenFight> _openFights = [];
    private readonly List<Fight> _endedFights = [];
    private int _endedRows;

    /// <summary>Whether a distance, given as its x and y parts, is within <see cref="Radius"/>.</summary>
    public static bool IsNear(double dx, double dy) => (dx * dx) + (dy * dy) <= Radius * Radius;

    /// <summary>Adds a loss or damage.</summary>
    /// <param name="loop">The loop of the observation.</param>
    /// <param name="unit">The unit.</param>
    /// <param name="isLoss">Whether the unit died.</param>
    /// <param name="others">The other players nearby: bit n for player n. If no player is nearby (0), the event is not part of a fight.</param>
    public void Add(uint loop, in SeenUnit unit, bool isLoss, uint others)
    {
        EndQuietFights(loop);
        if (others == 0)
        {
            return;
        }

        var (x, y) = (unit.X, unit.Y);
        var fight = _openFights.Where(open => IsNear(open.X - x, open.Y - y))
            .MinBy(open => Math.Pow(open.X - x, 2) + Math.Pow(open.Y - y, 2));
        if (fight is null && _openFights.Count < MaxOpenFights)
        {
            _openFights.Add(fight = new OpenFight(loop));
        }

        fight?.Add(loop, unit, isLoss, others, costOf);
    }

    /// <summary>Ends all fights and returns them.</summary>
    public IReadOnlyList<Fight> Finish()
    {
        EndQuietFights(null);
        return [.. _endedFights.OrderBy(fight => fight.FirstLoop)];
    }

    // Ends the fights without a recent event. If loop is null, the match has ended, so all fights end.
    private void EndQuietFights(uint? loop)
    {
        for (var i = _openFights.Count - 1; i >= 0; i--)
        {
            var fight = _openFights[i];
            if (loop is { } now && (long)now - fight.LastLoop <= QuietLoops)
            {
                continue;
            }

            _openFights.RemoveAt(i);
            if (fight.LostValue >= LeastLostValue && _endedRows + fight.Rows <= MostRows)
            {
                _endedRows += fight.Rows;
                _endedFights.Add(fight.ToFight(nameOf));
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

        public long LostValue => _sides.Values.Sum(side => side.LostValue);

        public int Rows => 1 + _sides.Values.Sum(side => 1 + side.LostTypes);

        public void Add(uint loop, in SeenUnit unit, bool isLoss, uint others, Func<uint, (long Minerals, long Vespene)> costOf)
        {
            LastLoop = Math.Max(LastLoop, loop);
            (_sumX, _sumY, _events) = (_sumX + unit.X, _sumY + unit.Y, _events + 1);
            Side(unit.Owner).Add(unit, isLoss, costOf(unit.Type));
            for (var player = 0; others >> player != 0; player++)
            {
                if ((others >> player & 1) != 0)
                {
                    Side(player);
                }
            }
        }

        public Fight ToFight(Func<uint, string> nameOf)
        {
            var byLoss = _sides.OrderBy(side => side.Value.LostValue).Take(2).ToList();
            var (least, next) = (byLoss[0].Value.LostValue, byLoss[1].Value.LostValue);
            return new Fight(
                FirstLoop, LastLoop, Math.Round(X, 1), Math.Round(Y, 1),
                next - least >= LeastLead * (next + least) ? (uint)byLoss[0].Key : 0,
                [.. _sides.Select(side => side.Value.ToFightSide((uint)side.Key, nameOf))]);
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
        private readonly HashSet<ulong> _damagedTags = [];
        private readonly Dictionary<uint, int> _lostByType = [];
        private long _minerals;
        private long _vespene;

        public long LostValue => _minerals + _vespene;

        public int LostTypes => _lostByType.Count;

        public void Add(in SeenUnit unit, bool isLoss, (long Minerals, long Vespene) cost)
        {
            if (!isLoss)
            {
                if (_damagedTags.Count < MaxDamagedUnits)
                {
                    _damagedTags.Add(unit.Tag);
                }

                return;
            }

            _damagedTags.Remove(unit.Tag);
            (_minerals, _vespene) = (_minerals + cost.Minerals, _vespene + cost.Vespene);
            if (_lostByType.TryGetValue(unit.Type, out var count) || _lostByType.Count < MaxLostTypes)
            {
                _lostByType[unit.Type] = count + 1;
            }
        }

        public FightSide ToFightSide(uint player, Func<uint, string> nameOf) => new(
            player, _minerals, _vespene, _damagedTags.Count,
            [
                .. _lostByType.OrderByDescending(lost => lost.Value).ThenBy(lost => lost.Key)
                    .Select(lost => new LostUnits(lost.Key, nameOf(lost.Key), lost.Value)),
            ]);
    }
}
