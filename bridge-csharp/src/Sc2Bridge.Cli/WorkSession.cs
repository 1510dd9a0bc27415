using System.Diagnostics;
using System.Globalization;
using Sc2Bridge.Broker;
using Sc2Bridge.Broker.Work;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Cli;

/// <summary>A worker: runs jobs, reports each job, and prints a summary when it is stopped.</summary>
internal sealed class WorkSession(
    BrokerAddress broker, string store, int jobs, TimeSpan jobTime, GameOptions game, IReadOnlyList<string> matchArguments)
{
    // The names of result folders contain this name, so it is unique for each process of each machine.
    private readonly string _worker = string.Create(
        CultureInfo.InvariantCulture,
        $"{Environment.MachineName.Replace('.', '-')}-{Environment.ProcessId}-{Random.Shared.Next(0x10000):x4}");

    private readonly SessionConsole _console = new();
    private int _done;
    private int _failed;

    /// <summary>Runs jobs until it is stopped.</summary>
    /// <param name="json">A file for the summary; null for none.</param>
    /// <param name="stop">Stops the worker.</param>
    /// <returns>The exit code 130, which stands for an interrupt, because a worker never ends by itself.</returns>
    /// <exception cref="CommandException">The store or the summary's file cannot be written.</exception>
    /// <exception cref="ResultStoreException">The store cannot be used.</exception>
    /// <exception cref="BrokerException">The broker cannot be reached at the start, or refuses the worker.</exception>
    internal async Task<int> RunAsync(string? json, CancellationToken stop)
    {
        using var file = ResultFile.Open(json);
        using var results = ResultStore.Create(store, _worker);
        await OpenAsync(results, stop);
        var begin = Stopwatch.GetTimestamp();
        try
        {
            await using var runner = new JobRunner(results, _worker, jobTime, game, matchArguments);
            var taker = new WorkTaker(
                broker, _worker, jobs, (job, failures, ct) => RunJobAsync(runner, job, failures, ct),
                line => _console.PrintAlways($"sc2bridge: {line}"));
            _console.Print($"{_worker}: {jobs} jobs at once from {broker}, results in {store}");
            Failures.MarkCommandBegun();
            await taker.RunAsync(stop);
        }
        finally
        {
            await _console.DrainAsync();
        }

        var seconds = Math.Round(Stopwatch.GetElapsedTime(begin).TotalSeconds, 3);
        var table = new TextTable("work", ["worker"], "done", "failed", "s");
        table.AddRow(_worker, $"{_done}", $"{_failed}", seconds.ToString("0.0", CultureInfo.InvariantCulture));
        if (file?.IsStandardOutput != true)
        {
            _console.Results.Write(table);
        }

        file?.Write(JsonReports.Text(
            new WorkSummary(_worker, _done, _failed, seconds), JsonReports.Default.WorkSummary));
        return Failures.Interrupted;
    }

    private async Task<string?> RunJobAsync(JobRunner runner, Job job, int failures, CancellationToken ct)
    {
        var begin = Stopwatch.GetTimestamp();
        string? problem;
        try
        {
            problem = await runner.RunAsync(job, failures, ct);
        }
        catch (ResultStoreException error)
        {
            _console.PrintAlways($"sc2bridge: {job.Id} returns to the queue: {error.Message}");
            throw;
        }

        var duration = string.Create(CultureInfo.InvariantCulture, $"{Stopwatch.GetElapsedTime(begin).TotalSeconds:0.0} s");
        if (problem is null)
        {
            _console.Print($"{Interlocked.Increment(ref _done)} done: {job.Id}, {duration}");
        }
        else
        {
            Interlocked.Increment(ref _failed);
            _console.PrintAlways($"sc2bridge: {job.Id} failed: {problem}");
        }

        return problem;
    }

    private async Task OpenAsync(ResultStore results, CancellationToken ct)
    {
        try
        {
            await results.CheckAsync(ct);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"cannot write to {store} ({error.Message}): name another folder with --store", error);
        }
    }
}

/// <summary>The JSON summary of a worker.</summary>
/// <param name="Worker">The name of the worker.</param>
/// <param name="Done">The number of completed jobs.</param>
/// <param name="Failed">The number of failed jobs.</param>
/// <param name="Seconds">How long the worker ran, in seconds.</param>
internal sealed record WorkSummary(string Worker, int Done, int Failed, double Seconds);
