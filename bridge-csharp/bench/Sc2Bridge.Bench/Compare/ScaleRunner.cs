
namespace Sc2Bridge.Bench;

/// <summary>Measures the series of a plan and then makes its searches, each run kept as soon as it is made.</summary>
/// <param name="plan">What is measured.</param>
/// <param name="matches">What measurements receive.</param>
/// <param name="processes">What takes part.</param>
internal sealed class ScaleRunner(ScalePlan plan, ScaleMatches matches, ProcessPool processes)
{
    /// <summary>Measures what is still to be measured.</summary>
    /// <param name="runs">Those that there are already; each other one as soon as it is made.</param>
    /// <param name="progress">Told before each run.</param>
    /// <param name="ct">Stops it.</param>
    public async Task RunAsync(RunFile runs, Action<ComparisonProgress> progress, CancellationToken ct)
    {
        var runner = new ComparisonRunner(plan.Series, matches.Of, processes);
        var searching = plan.Searches.Count * plan.SearchSeconds;
        var at = 0.0;
        await runner.RunAsync(
            runs,
            series =>
            {
                at = series.Total;
                progress(series with { Total = series.Total + searching });
            },
            ct);
        var total = at + searching;
        var known = runs.Runs.DistinctBy(run => (run.Measurement, run.Round)).ToDictionary(run => (run.Measurement, run.Round));
        foreach (var search in plan.Searches)
        {
            while (BreakingPoint.Seek(search, Known).Missing is var (measurement, round))
            {
                progress(new ComparisonProgress(
                    at, total, $"breaking point: {ComparisonRunner.Title(measurement)}{(round > 1 ? ", once more" : "")}"));
                var run = await runner.MeasureAsync(measurement, round, ct);
                known.Add((measurement.Id, round), run);
                runs.Add(run);
            }

            at += plan.SearchSeconds;
        }

        progress(new ComparisonProgress(total, total, "done"));

        MeasurementRun? Known(Measurement measurement, int round) => known.GetValueOrDefault((measurement.Id, round));
    }
}
