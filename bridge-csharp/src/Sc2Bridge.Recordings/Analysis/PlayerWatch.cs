using SC2APIProtocol;

namespace Sc2Bridge.Recordings.Analysis;

/// <summary>Follows one player: its supply, resources, idle times and errors. Not thread-safe.</summary>
internal sealed class PlayerWatch
{
    /// <summary>A supply block has at least so many loops: 2 s.</summary>
    public const uint LeastBlock = 44;

    /// <summary>Resources float for at least so many loops: 30 s.</summary>
    public const uint LeastFloating = 672;

    /// <summary>The minerals, or vespene, from which on a resource floats.</summary>
    public const uint FloatingAmount = 1000;

    /// <summary>The kinds of errors that are counted.</summary>
    public const int MostKinds = 100;

    private const uint MostSupply = 200;

    private readonly SpanWatch _blocked = new(LeastBlock);
    private readonly SpanWatch _minerals = new(LeastFloating);
    private readonly SpanWatch _vespene = new(LeastFloating);
    private readonly SortedDictionary<string, (long Refused, long Failed)> _errors = new(StringComparer.Ordinal);
    private (double Production, double Workers)? _idle;
    private bool _isObserved;

    /// <summary>Notes what the player has, from its own perspective.</summary>
    public void See(uint loop, PlayerCommon common)
    {
        _isObserved = true;
        _blocked.See(loop, common.FoodCap is > 0 and < MostSupply && common.FoodUsed >= common.FoodCap, 0);
        _minerals.See(loop, common.Minerals >= FloatingAmount, common.Minerals);
        _vespene.See(loop, common.Vespene >= FloatingAmount, common.Vespene);
    }

    /// <summary>Notes the sums of idle time up to now.</summary>
    public void SeeIdle(double production, double workers) => _idle = (production, workers);

    /// <summary>Counts actions that failed.</summary>
    /// <param name="kind">Why.</param>
    /// <param name="refused">How many were refused when they were sent.</param>
    /// <param name="failed">How many failed later.</param>
    public void CountErrors(string kind, long refused, long failed)
    {
        if (_errors.TryGetValue(kind, out var before) || _errors.Count < MostKinds)
        {
            _errors[kind] = (before.Refused + refused, before.Failed + failed);
        }
    }

    /// <summary>The result, at the match's end.</summary>
    public PlayerAnalysis Finish(uint player, uint lastLoop, IReadOnlyList<TownHall> bases) => new(
        player, _isObserved, bases,
        [.. _blocked.Finish(lastLoop).Select(span => new LoopSpan(span.First, span.Last))],
        [
            .. Floating("minerals", _minerals, lastLoop).Concat(Floating("vespene", _vespene, lastLoop))
                .OrderBy(span => span.FirstLoop),
        ],
        Rounded(_idle?.Production), Rounded(_idle?.Workers),
        [
            .. _errors.OrderByDescending(one => one.Value.Refused + one.Value.Failed)
                .Select(one => new FailedActions(one.Key, one.Value.Refused, one.Value.Failed)),
        ]);

    private static double? Rounded(double? time) => time is { } known ? Math.Round(known, 1) : null;

    private static IEnumerable<FloatingSpan> Floating(string resource, SpanWatch watch, uint lastLoop) =>
        watch.Finish(lastLoop).Select(span => new FloatingSpan(resource, span.First, span.Last, span.Most));
}
