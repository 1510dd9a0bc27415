using Sc2Bridge.Comparing.Cells;
using Sc2Bridge.Comparing.Results;
using Sc2Bridge.Comparing.Running;

namespace Sc2Bridge.Comparing.Scaling;

/// <summary>Measures the series of a plan and then makes its searches, each run kept as soon as it is made.</summary>
/// <param name="plan">What is measured.</param>
/// <param name="matches">What cells hear.</param>
/// <param name="processes">What takes part.</param>
public sealed class ScaleRunner(ScalePlan plan, ScaleMatches matches, ProcessPool processes)
{
    /// <summary>Measures what is still to be measured.</summary>
    /// <param name="runs">Those that there are already; each other one as soon as it is made.</param>
    /// <param name="progress">Told before each run.</param>
    /// <param name="ct">Stops it.</param>
    public async Task RunAsync(RunFile runs, Action<ComparisonProgress> progress, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(runs);
        ArgumentNullException.ThrowIfNull(progress);
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
        var known = runs.Runs.DistinctBy(run => (run.Cell, run.Round)).ToDictionary(run => (run.Cell, run.Round));
        foreach (var search in plan.Searches)
        {
            while (BreakingPoint.Seek(search, Known).Missing is var (cell, round))
            {
                progress(new ComparisonProgress(
                    at, total, $"breaking point: {ComparisonRunner.Title(cell)}{(round > 1 ? ", once more" : "")}"));
                var run = await runner.MeasureAsync(cell, round, ct);
                known.Add((cell.Id, round), run);
                runs.Add(run);
            }

            at += plan.SearchSeconds;
        }

        progress(new ComparisonProgress(total, total, "done"));

        CellRun? Known(Cell cell, int round) => known.GetValueOrDefault((cell.Id, round));
    }
}
