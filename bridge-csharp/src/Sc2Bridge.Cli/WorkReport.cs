using System.Globalization;
using Sc2Bridge.Broker.Work;

namespace Sc2Bridge.Cli;

/// <summary>What one worker has done.</summary>
/// <param name="Worker">Machine and process.</param>
/// <param name="Jobs">Results of its.</param>
/// <param name="MeanSeconds">Of a job.</param>
/// <param name="Observations">In its recordings.</param>
/// <param name="Bytes">Its recordings'.</param>
internal sealed record WorkerReport(string Worker, int Jobs, double MeanSeconds, long Observations, long Bytes);

/// <summary>How the work stands.</summary>
/// <param name="Waiting">Jobs that nobody has in hand.</param>
/// <param name="Workers">Who takes jobs now.</param>
/// <param name="Begun">Jobs that are in hand, or were when their worker died; null without a store.</param>
/// <param name="Done">Results; null without a store.</param>
/// <param name="Dead">Jobs that were given up.</param>
/// <param name="Results">Victory, Defeat … of players' ids, how often.</param>
/// <param name="ByWorker">Who did what.</param>
internal sealed record WorkReport(
    long Waiting, long Workers, int? Begun, int? Done, IReadOnlyList<DeadJob> Dead, IReadOnlyDictionary<string, int> Results,
    IReadOnlyList<WorkerReport> ByWorker)
{
    /// <summary>Sums up.</summary>
    /// <param name="status">What the broker says.</param>
    /// <param name="store">Where results are; null where nobody said.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="IOException">The store cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The store cannot be read.</exception>
    /// <exception cref="ResultStoreException">The store cannot be read.</exception>
    internal static async Task<WorkReport> OfAsync(WorkStatus status, string? store, CancellationToken ct)
    {
        using var at = store is null ? null : ResultStore.At(store, "");
        var (results, begun) = at is null ? ([], 0) : await at.ReadAsync(ct);
        return new WorkReport(
            status.Waiting, status.Workers, store is null ? null : begun, store is null ? null : results.Count, status.Dead,
            new SortedDictionary<string, int>(results
                .SelectMany(result => result.End?.Results ?? [])
                .CountBy(result => $"player {result.PlayerId} {result.Result}")
                .ToDictionary()),
            [
                .. results.GroupBy(result => result.Worker)
                    .OrderBy(worker => worker.Key, StringComparer.Ordinal)
                    .Select(worker => new WorkerReport(
                        worker.Key, worker.Count(), Math.Round(worker.Average(result => result.Seconds), 3),
                        worker.Sum(result => (long)result.Observations), worker.Sum(result => (long)result.Bytes))),
            ]);
    }

    internal void Print(TerminalConsole console)
    {
        var work = new TextTable("work", ["jobs"], "number");
        work.Add("waiting", Number(Waiting));
        if (Done is { } done)
        {
            work.Add("begun", Number(Begun ?? 0));
            work.Add("done", Number(done));
        }

        work.Add("given up", Number(Dead.Count));
        console.Write(work);
        console.WriteLine($"{Workers} {(Workers == 1 ? "worker takes" : "workers take")} jobs");
        var workers = new TextTable("workers", ["worker"], "jobs", "mean s", "observations", "MB");
        foreach (var worker in ByWorker)
        {
            workers.Add(
                worker.Worker, Number(worker.Jobs), worker.MeanSeconds.ToString("0.0", CultureInfo.InvariantCulture),
                Number(worker.Observations), (worker.Bytes / 1e6).ToString("0.0", CultureInfo.InvariantCulture));
        }

        var results = new TextTable("results", ["player"], "matches");
        foreach (var result in Results)
        {
            results.Add(result.Key, Number(result.Value));
        }

        foreach (var table in new[] { workers, results }.Where(table => table.Rows.Count > 0))
        {
            console.WriteLine();
            console.Write(table);
        }

        foreach (var dead in Dead)
        {
            console.WriteLine($"given up: {dead.Id} (failed {dead.Failures} times): {dead.Reason}");
        }
    }

    private static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);
}
