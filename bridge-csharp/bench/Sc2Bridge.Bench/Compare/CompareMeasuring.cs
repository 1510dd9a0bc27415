
namespace Sc2Bridge.Bench;

/// <summary>Measures a plan: its tables, and then what it has of scale.</summary>
/// <param name="plan">What is measured.</param>
/// <param name="match">What measurements receive.</param>
/// <param name="isSimulated">Whether that is of the default simulated match.</param>
/// <param name="folder">Where more of it is made.</param>
/// <param name="processes">What takes part.</param>
internal sealed class CompareMeasuring(
    ComparisonPlan plan, PlayedMatch match, bool isSimulated, string folder, ProcessPool processes)
{
    /// <summary>Measures what is still to be measured.</summary>
    /// <param name="tables">Keeps the tables' runs.</param>
    /// <param name="scaling">Keeps those of scale; null where the plan has none.</param>
    /// <param name="tell">Told before each run, of both.</param>
    /// <param name="ct">Stops it.</param>
    internal async Task RunAsync(
        RunFile tables, RunFile? scaling, Action<ComparisonProgress> tell, CancellationToken ct)
    {
        // First: a recording that is damaged farther on is known before the tables are measured, and not after that.
        var matches = new ScaleMatches(match, isSimulated, folder);
        if (plan.Scale is { } series)
        {
            tell(new ComparisonProgress(0, plan.Estimate.TotalSeconds, "making what the series of scale receive"));
            await matches.PrepareAsync(series.Series.Measurements, series.Series.StepsReceived, ct);
        }

        var (behind, ahead) = (0.0, plan.Scale?.Estimate.TotalSeconds ?? 0);
        var runner = new ComparisonRunner(plan, _ => match, processes);
        await runner.RunAsync(
            tables,
            part =>
            {
                behind = part.Total;
                tell(part with { Total = part.Total + ahead });
            },
            ct);
        if (plan.Scale is { } scale && scaling is not null)
        {
            await new ScaleRunner(scale, matches, processes).RunAsync(
                scaling,
                part => tell(part with { Done = behind + part.Done, Total = behind + part.Total }),
                ct);
        }
    }
}
