using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>How a load went.</summary>
/// <param name="Load">How much it was.</param>
/// <param name="HeldP99Us">What one in a hundred messages exceeded on its way into a reader's hands, in µs.</param>
/// <param name="PeriodUs">The time between two steps.</param>
/// <param name="SentPerSecond">Steps that were sent a second: fewer than the rate where readers held the match.</param>
/// <param name="BridgeCpu">Processors that the bridge kept busy.</param>
/// <param name="ReadersCpu">Processors that all readers together kept busy.</param>
/// <param name="Problem">Why it was not measured; null where it was.</param>
internal sealed record LoadRun(
    double Load,
    double? HeldP99Us,
    double PeriodUs,
    double SentPerSecond,
    double BridgeCpu,
    double ReadersCpu,
    string? Problem);

/// <summary>Where a load becomes too much for one bridge on this machine.</summary>
/// <param name="Plan">Which load, of what.</param>
/// <param name="Kept">The greatest that was kept up with; null where none was.</param>
/// <param name="Broke">The least that was not; null where the search came to its bound.</param>
internal sealed record BreakingPoint(BreakingPlan Plan, LoadRun? Kept, LoadRun? Broke)
{
    // Sender and readers begin and end to count between two frames.
    private const double Edge = 2;

    // What one in a hundred may be late, one in a hundred may be missing.
    private const double Few = 0.01;

    /// <summary>
    /// Whether a run kept up: every step was sent when it was due and received by all, and one in a hundred at most came
    /// more than a period late.
    /// </summary>
    public static bool KeptUp(MeasurementRun run, Measurement measurement)
    {
        var due = measurement.Rate * run.SentSeconds;
        var some = Math.Max(Edge, due * Few);
        return run is { Problem: null, Lost: 0, Held: { } held }
            && held.P99 <= measurement.PeriodUs
            && due - run.SentSteps <= some
            && run.SentSteps - run.Frames <= some;
    }

    /// <summary>
    /// Goes through a search with the runs that there are. So one that was stopped goes on where it was, and a report
    /// finds what was found.
    /// </summary>
    public static (BreakingPoint? Found, (Measurement Measurement, int Round)? Missing) Seek(
        BreakingPlan plan, Func<Measurement, int, MeasurementRun?> runs)
    {
        var search = plan.Begin();
        LoadRun? kept = null, broke = null;
        while (search.Next is { } load)
        {
            var measurement = plan.At(load);
            var keptUp = false;
            LoadRun? tried = null;
            for (var round = 1; round <= BreakingPlan.Measures && !keptUp; round++)
            {
                if (runs(measurement, round) is not { } run)
                {
                    return (null, (measurement, round));
                }

                (tried, keptUp) = (Of(run, measurement, load), KeptUp(run, measurement));
            }

            (kept, broke) = keptUp ? (tried, broke) : (kept, tried);
            search.Tell(keptUp);
        }

        return (new BreakingPoint(plan, kept, broke), null);
    }

    /// <summary>What it comes to.</summary>
    public string Words()
    {
        var kept = $"One bridge on this machine keeps up with {Amount(Kept)} over {Plan.Way}";
        return Broke is null ? $"{kept}, which is the most that was tried."
            : Broke.Problem is { } problem ? $"{kept}; with {Amount(Broke)} it could not be measured: {problem}."
            : Invariant($"{kept}; with {Amount(Broke)} p99 is {(Broke.HeldP99Us ?? double.NaN) / 1000:0.0} ms of a period of ")
                + Invariant($"{Broke.PeriodUs / 1000:0.0}, and {Broke.SentPerSecond:0.#} steps a second are sent.");
    }

    private static LoadRun Of(MeasurementRun run, Measurement measurement, double load) => new(
        load,
        run.Held?.P99,
        measurement.PeriodUs!.Value,
        run.SentSeconds > 0 ? run.SentSteps / run.SentSeconds : 0,
        run.SenderCpu,
        run.AgentCpu,
        run.Problem);

    private string Amount(LoadRun? run) =>
        run is null ? "no load that was tried"
        : Plan.Load == Load.Subscribers ? Invariant($"{run.Load:0} light readers at {Plan.Measurement.RateText} steps a second")
        : Invariant($"{run.Load:0.#} steps a second to one light reader");
}
