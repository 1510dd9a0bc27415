using System.Diagnostics;
using System.Globalization;
using Sc2Bridge.Broker;
using Sc2Bridge.Broker.Work;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Cli;

/// <summary>A worker: takes jobs, tells of each, and sums up when it is stopped.</summary>
internal sealed class WorkSession(
    BrokerAddress broker, string store, int jobs, TimeSpan jobTime, GameOptions game, IReadOnlyList<string> ofMatches)
{
    // Folders of results bear it: of several machines, and of one machine's processes one after the other.
    private readonly string _worker = string.Create(
        CultureInfo.InvariantCulture,
        $"{Environment.MachineName.Replace('.', '-')}-{Environment.ProcessId}-{Random.Shared.Next(0x10000):x4}");

    private readonly SessionConsole _console = new();
    private int _done;
    private int _failed;

    /// <summary>Works until it is stopped.</summary>
    /// <param name="json">Where its summary goes too; null for nowhere.</param>
    /// <param name="stop">Stops it.</param>
    /// <returns>The exit code: 130, as it never ends by itself.</returns>
    /// <exception cref="CommandException">Nobody can write to the store, or to the summary's file.</exception>
    /// <exception cref="ResultStoreException">The store cannot be used.</exception>
    /// <exception cref="BrokerException">The broker is not there to begin with, or refuses.</exception>
    internal async Task<int> RunAsync(string? json, CancellationToken stop)
    {
        using var file = ResultFile.Open(json);
        using var results = ResultStore.At(store, _worker);
        await OpenAsync(results, stop);
        var begin = Stopwatch.GetTimestamp();
        try
        {
            await using var runner = new JobRunner(results, _worker, jobTime, game, ofMatches);
            var taker = new WorkTaker(
                broker, _worker, jobs, (job, failures, ct) => DoAsync(runner, job, failures, ct),
                line => _console.Warn($"sc2bridge: {line}"));
            _console.Say($"{_worker}: {jobs} jobs at once from {broker}, results in {store}");
            Failures.Begin();
            await taker.RunAsync(stop);
        }
        finally
        {
            await _console.EndAsync();
        }

        var seconds = Math.Round(Stopwatch.GetElapsedTime(begin).TotalSeconds, 3);
        var table = new TextTable("work", ["worker"], "done", "failed", "s");
        table.Add(_worker, $"{_done}", $"{_failed}", seconds.ToString("0.0", CultureInfo.InvariantCulture));
        _console.Console.Write(table);
        file?.Write(JsonReports.Text(
            new WorkSummary(_worker, _done, _failed, seconds), JsonReports.Default.WorkSummary));
        return Failures.Interrupted;
    }

    private async Task<string?> DoAsync(JobRunner runner, Job job, int failures, CancellationToken ct)
    {
        var begin = Stopwatch.GetTimestamp();
        string? problem;
        try
        {
            problem = await runner.RunAsync(job, failures, ct);
        }
        catch (ResultStoreException error)
        {
            _console.Warn($"sc2bridge: {job.Id} goes back: {error.Message}");
            throw;
        }

        var took = string.Create(CultureInfo.InvariantCulture, $"{Stopwatch.GetElapsedTime(begin).TotalSeconds:0.0} s");
        if (problem is null)
        {
            _console.Say($"{Interlocked.Increment(ref _done)} done: {job.Id}, {took}");
        }
        else
        {
            Interlocked.Increment(ref _failed);
            _console.Warn($"sc2bridge: {job.Id} failed: {problem}");
        }

        return problem;
    }

    private async Task OpenAsync(ResultStore results, CancellationToken ct)
    {
        try
        {
            await results.OpenAsync(ct);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"cannot write to {store} ({error.Message}): name another folder with --store", error);
        }
    }
}

/// <summary>What a worker did.</summary>
/// <param name="Worker">Its name.</param>
/// <param name="Done">Jobs.</param>
/// <param name="Failed">Jobs.</param>
/// <param name="Seconds">How long it worked.</param>
internal sealed record WorkSummary(string Worker, int Done, int Failed, double Seconds);
