using System.Globalization;
using Sc2Bridge.Broker.Work;

namespace Sc2Bridge.Cli;

/// <summary>What one worker has done.</summary>
/// <param name="Worker">The name of the worker, which contains its machine and its process id.</param>
/// <param name="Jobs">The number of its results.</param>
/// <param name="MeanSeconds">The mean time of a job.</param>
/// <param name="Observations">The number of observations in its recordings.</param>
/// <param name="Bytes">The size of its recordings.</param>
internal sealed record WorkerReport(string Worker, int Jobs, double MeanSeconds, long Observations, long Bytes);

/// <summary>The state of the work.</summary>
/// <param name="Waiting">The number of jobs that no worker has taken yet.</param>
/// <param name="Workers">The number of workers that are connected now.</param>
/// <param name="Begun">The number of jobs that run, or that ran when their worker died; null without a store.</param>
/// <param name="Done">The number of results; null without a store.</param>
/// <param name="Dead">The jobs that were given up.</param>
/// <param name="Results">How often each player id had each result.</param>
/// <param name="ByWorker">What each worker has done.</param>
internal sealed record WorkReport(
    long Waiting, long Workers, int? Begun, int? Done, IReadOnlyList<DeadJob> Dead, IReadOnlyDictionary<string, int> Results,
    IReadOnlyList<WorkerReport> ByWorker)
{
    /// <summary>Makes the report.</summary>
    /// <param name="status">The state that the broker reports.</param>
    /// <param name="store">The store of the results; null if none was named.</param>
    /// <param name="ct">Cancels the reading.</param>
    /// <exception cref="IOException">The store cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The store cannot be read.</exception>
    /// <exception cref="ResultStoreException">The store cannot be read.</exception>
    internal static async Task<WorkReport> CreateAsync(WorkStatus status, string? store, CancellationToken ct)
    {
        using var resultStore = store is null ? null : ResultStore.Create(store, "");
        var (results, begun) = resultStore is null ? ([], 0) : await resultStore.ReadAllAsync(ct);
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
        work.AddRow("waiting", Number(Waiting));
        if (Done is { } done)
        {
            work.AddRow("begun", Number(Begun ?? 0));
            work.AddRow("done", Number(done));
        }

        work.AddRow("given up", Number(Dead.Count));
        console.Write(work);
        console.WriteLine($"{Workers} {(Workers == 1 ? "worker takes" : "workers take")} jobs");
        var workers = new TextTable("workers", ["worker"], "jobs", "mean s", "observations", "MB");
        foreach (var worker in ByWorker)
        {
            workers.AddRow(
                worker.Worker, Number(worker.Jobs), worker.MeanSeconds.ToString("0.0", CultureInfo.InvariantCulture),
                Number(worker.Observations), (worker.Bytes / 1e6).ToString("0.0", CultureInfo.InvariantCulture));
        }

        var results = new TextTable("results", ["player"], "matches");
        foreach (var result in Results)
        {
            results.AddRow(result.Key, Number(result.Value));
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
