using SC2APIProtocol;

namespace Sc2Bridge.Recordings.Analysis;

/// <summary>Collects one player's supply blocks, unspent resources, idle times and failed actions. Not thread-safe.</summary>
internal sealed class PlayerWatch
{
    /// <summary>The minimum length of a supply block in game loops: 2 s.</summary>
    public const uint LeastBlockLoops = 44;

    /// <summary>Unspent resources are reported if they stay unspent for at least this many game loops: 30 s.</summary>
    public const uint LeastFloatingLoops = 672;

    /// <summary>Minerals or vespene count as unspent if the player has at least this amount.</summary>
    public const uint FloatingAmount = 1000;

    /// <summary>The maximum number of different kinds of failed actions. Further kinds are not counted.</summary>
    public const int MostErrorKinds = 100;

    private const uint HighestSupplyCap = 200;

    private readonly SpanWatch _blocked = new(LeastBlockLoops);
    private readonly SpanWatch _minerals = new(LeastFloatingLoops);
    private readonly SpanWatch _vespene = new(LeastFloatingLoops);
    private readonly SortedDictionary<string, (long Refused, long Failed)> _errors = new(StringComparer.Ordinal);
    private (double Production, double Workers)? _idleTimes;
    private bool _isObserved;

    /// <summary>Adds the player's state, as the player's own perspective shows it.</summary>
    public void AddState(uint loop, PlayerCommon common)
    {
        _isObserved = true;
        _blocked.Add(loop, common.FoodCap is > 0 and < HighestSupplyCap && common.FoodUsed >= common.FoodCap, 0);
        _minerals.Add(loop, common.Minerals >= FloatingAmount, common.Minerals);
        _vespene.Add(loop, common.Vespene >= FloatingAmount, common.Vespene);
    }

    /// <summary>Sets the total idle times of production and of workers so far.</summary>
    public void SetIdleTimes(double production, double workers) => _idleTimes = (production, workers);

    /// <summary>Counts actions that failed.</summary>
    /// <param name="kind">The reason for the failure.</param>
    /// <param name="refused">The number of actions that were refused when they were sent.</param>
    /// <param name="failed">The number of actions that failed later.</param>
    public void CountErrors(string kind, long refused, long failed)
    {
        if (_errors.TryGetValue(kind, out var before) || _errors.Count < MostErrorKinds)
        {
            _errors[kind] = (before.Refused + refused, before.Failed + failed);
        }
    }

    /// <summary>Returns the player's analysis at the end of the match.</summary>
    public PlayerAnalysis Finish(uint player, uint lastLoop, IReadOnlyList<TownHall> bases) => new(
        player, _isObserved, bases,
        [.. _blocked.Finish(lastLoop).Select(span => new LoopSpan(span.First, span.Last))],
        [
            .. Floating("minerals", _minerals, lastLoop).Concat(Floating("vespene", _vespene, lastLoop))
                .OrderBy(span => span.FirstLoop),
        ],
        Rounded(_idleTimes?.Production), Rounded(_idleTimes?.Workers),
        [
            .. _errors.OrderByDescending(error => error.Value.Refused + error.Value.Failed)
                .Select(error => new FailedActions(error.Key, error.Value.Refused, error.Value.Failed)),
        ]);

    private static double? Rounded(double? time) => time is { } known ? Math.Round(known, 1) : null;

    private static IEnumerable<FloatingSpan> Floating(string resource, SpanWatch watch, uint lastLoop) =>
        watch.Finish(lastLoop).Select(span => new FloatingSpan(resource, span.First, span.Last, span.Most));
}
