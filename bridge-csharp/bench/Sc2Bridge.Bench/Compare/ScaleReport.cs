using System.Text.Json.Serialization;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>A mode at a load.</summary>
/// <param name="Measurement">Which.</param>
/// <param name="X">The load: subscribers, KiB of an observation as the game has it, or steps a second.</param>
/// <param name="Figures">By <see cref="Figure.Key"/>, over the rounds.</param>
internal sealed record ScalePoint(Measurement Measurement, double X, IReadOnlyDictionary<string, Spread> Figures);

/// <summary>How one figure of a mode grows.</summary>
/// <param name="Figure"><see cref="Figure.Key"/>.</param>
/// <param name="Mode">Of which mode.</param>
/// <param name="Fit">Through the medians, in the order of the mode's points.</param>
internal sealed record ScaleFit(string Figure, Mode Mode, Fit Fit);

/// <summary>How cost grows with one load.</summary>
/// <param name="Name">The series' name.</param>
/// <param name="Load">Which load.</param>
/// <param name="Points">What was measured.</param>
/// <param name="Fits">For each figure and mode with enough of it.</param>
internal sealed record ScaleSeries(
    string Name, Load Load, IReadOnlyList<ScalePoint> Points, IReadOnlyList<ScaleFit> Fits)
{
    /// <summary>What the load is counted in.</summary>
    public string Units => Load switch
    {
        Load.Subscribers => "subscribers",
        Load.Size => "KiB an observation",
        _ => "steps a second",
    };
}

/// <summary>How a bridge's cost grows, and where it becomes too much.</summary>
/// <param name="Timing">How long and how often each point was measured.</param>
/// <param name="Series">One a load.</param>
/// <param name="Breaking">What the searches found.</param>
/// <param name="Summary">The same in plain sentences.</param>
/// <param name="Left">What was not measured, and why.</param>
/// <param name="Runs">Every run.</param>
internal sealed record ScaleReport(
    Timing Timing,
    IReadOnlyList<ScaleSeries> Series,
    IReadOnlyList<BreakingPoint> Breaking,
    IReadOnlyList<string> Summary,
    IReadOnlyList<string> Left,
    IReadOnlyList<MeasurementRun> Runs)
{
    /// <summary>Whether all that was wanted was measured.</summary>
    [JsonIgnore]
    public bool IsWhole => Left.Count == 0;

    private const string NotYet = "it was stopped before that";

    /// <summary>What grows; the sender's is what it costs, the rest is what it comes to.</summary>
    public static IReadOnlyList<Figure> Figures { get; } =
    [
        Figure.SenderCpu,
        new("bridge_cpu_us_a_step", "bridge CPU a step, µs", "0", run => run.SentSteps > 0
            ? run.SenderCpu * run.SentSeconds / run.SentSteps * 1e6
            : null),
        Figure.HeldP50,
        Figure.HeldP99,
        new("all_mbit_a_second", "Mbit/s to all", "0.0", run => run.MegabytesPerSecond * 8 * run.Subscribers),
    ];

    /// <summary>What the readers took beside it.</summary>
    public static Figure ReadersCpu { get; } = new(
        "readers_cpu_percent", "readers CPU, %", "0.0", run => run.AgentCpu * 100);

    /// <summary>Sums up runs.</summary>
    /// <param name="plan">What was measured.</param>
    /// <param name="runs">What there is of it.</param>
    /// <param name="cores">The machine's processors.</param>
    public static ScaleReport Of(ScalePlan plan, IReadOnlyList<MeasurementRun> runs, int cores)
    {
        var byCell = runs.ToLookup(run => run.Measurement);
        List<ScaleSeries> series = [.. plan.Series.Factors.Select(factor => Sum(factor, byCell))];
        var known = runs.DistinctBy(run => (run.Measurement, run.Round)).ToDictionary(run => (run.Measurement, run.Round));
        List<BreakingPoint> breaking =
        [
            .. plan.Searches.Select(search => BreakingPoint.Seek(
                search, (measurement, round) => known.GetValueOrDefault((measurement.Id, round))).Found).OfType<BreakingPoint>(),
        ];
        var left = plan.Series.Measurements.Where(measurement => !byCell[measurement.Id].Any(run => run.Problem is null))
            .Select(measurement => $"{ComparisonRunner.Title(measurement)}: {byCell[measurement.Id].FirstOrDefault()?.Problem ?? NotYet}")
            .Concat(plan.Searches.Except(breaking.Select(point => point.Plan))
                .Select(search => $"{search.Name}: {NotYet}"));
        return new ScaleReport(
            new Timing(plan.Series.Rounds, plan.Series.Seconds, plan.Series.WarmUpSeconds),
            series,
            breaking,
            [.. series.Select(Words).OfType<string>(), .. breaking.Select(point => point.Words(cores))],
            [.. left],
            runs);
    }

    private static ScaleSeries Sum(Factor factor, ILookup<string, MeasurementRun> byCell)
    {
        var load = ScalePlan.LoadOf(factor);
        List<ScalePoint> points = [];
        foreach (var measurement in factor.Measurements)
        {
            var runs = Good(measurement);
            if (runs.Count > 0 && At(measurement) is { } x)
            {
                points.Add(new ScalePoint(measurement, x, Figure.Spreads(Figures.Append(ReadersCpu), runs)));
            }
        }

        points = [.. points.OrderBy(point => point.Measurement.Mode).ThenBy(point => point.X)];
        List<ScaleFit> fits = [];
        foreach (var figure in Figures)
        {
            foreach (var mode in points.GroupBy(point => point.Measurement.Mode))
            {
                var fit = Fit.Of(
                [
                    .. mode.Where(point => point.Figures.ContainsKey(figure.Key))
                        .Select(point => new FitPoint(point.X, point.Figures[figure.Key].Median)),
                ]);
                if (fit is not null)
                {
                    fits.Add(new ScaleFit(figure.Key, mode.Key, fit));
                }
            }
        }

        return new ScaleSeries(factor.Name, load, points, fits);

        List<MeasurementRun> Good(Measurement measurement) => [.. byCell[measurement.Id].Where(run => run.Problem is null)];

        // An observation's size is what gRPC carries of it, for the JSON of the same observation too.
        double? At(Measurement measurement) => load switch
        {
            Load.Subscribers => measurement.Subscribers,
            Load.Rate => measurement.Rate,
            _ => Good(measurement with { Mode = Mode.Grpc }) is { Count: > 0 } plain
                ? Statistics.Median(plain.Select(run => run.MessageBytes)) / 1024
                : null,
        };
    }

    private static string? Words(ScaleSeries series)
    {
        var fits = series.Fits.Where(fit => fit.Figure == Figure.SenderCpu.Key).ToList();
        return fits.Count == 0
            ? null
            : $"The bridge's processor time in % of a core, where x are {series.Units}: "
            + string.Join("; ", fits.Select(fit =>
                $"{(Measurement.Baseline with { Mode = fit.Mode }).Name} {fit.Fit.Words("x")}")) + ".";
    }
}
