using System.Collections.Concurrent;
using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>Runs all passes of a plan, several at a time, each in its own game. If a pass fails, the other passes continue.</summary>
internal sealed class RecordSession(
    IReadOnlyList<RecordPass> plan, ReplaySettings settings, GameOptions game, int jobs, string folder, LogLevel level,
    PublishOptions? publish, ResultFile? json)
{
    // The maximum number of lines that are printed for similar failures.
    private const int MaxPrinted = 4;

    private readonly SessionConsole _console = new();
    private readonly Lock _chosenLock = new();
    private readonly Dictionary<ReplayGameKind, ChosenGame> _chosen = [];

    /// <summary>Makes the recordings.</summary>
    /// <param name="interrupted">Stops the passes.</param>
    /// <returns>The exit code.</returns>
    internal async Task<int> RunAsync(CancellationToken interrupted)
    {
        var repair = new OutputRepair(_console.Print);
        repair.RepairIn(Path.GetDirectoryName(Path.GetFullPath(folder)) ?? folder);
        repair.RepairFiles(folder, includesSubfolders: true, plan.Select(pass => pass.PartialPath).ToHashSet());
        using var logs = BridgeLog.Open(folder, level, _console.PrintAlways, _console.PrintAlways);
        Failures.MarkCommandBegun();
        var begin = Stopwatch.GetTimestamp();
        var progress = new RecordProgress(plan.Count, _console.Print);
        var waiting = new ConcurrentQueue<RecordPass>(plan);
        using var ended = new CancellationTokenSource();
        var display = Task.Run(
            () => _console.Messages.ShowProgressAsync(new RecordDisplay(progress, TimeProvider.System).Rows, TimeProvider.System, ended.Token),
            CancellationToken.None);
        try
        {
            await Task.WhenAll(Enumerable.Range(0, Math.Min(jobs, plan.Count))
                .Select(_ => Task.Run(() => WorkAsync(waiting, progress, logs, interrupted), CancellationToken.None)));
        }
        finally
        {
            await ended.CancelAsync();
            await display;
            await _console.DrainAsync();
        }

        var report = RecordReport.Of(progress.Outcomes, Stopwatch.GetElapsedTime(begin));
        if (json?.IsStandardOutput != true)
        {
            RecordDisplay.PrintSummary(_console.Results, progress.Outcomes, report);
        }

        json?.Write(JsonReports.Text(report, JsonReports.Default.RecordReport));
        foreach (var unpublished in progress.Outcomes.Where(outcome => outcome.Unpublished is not null))
        {
            await Console.Error.WriteLineAsync($"sc2bridge: {unpublished.Pass.Name} is recorded: {unpublished.Unpublished}");
        }

        foreach (var alike in progress.Outcomes
            .Where(outcome => outcome.Ending == RecordEnding.Failed)
            .GroupBy(outcome => outcome.Problem.Replace(outcome.Pass.Replay, "", StringComparison.Ordinal)))
        {
            // If many passes fail for the same reason, such as a missing game version, only the first failure is printed.
            var printed = alike.Count() > MaxPrinted ? 1 : MaxPrinted;
            foreach (var failed in alike.Take(printed))
            {
                await Console.Error.WriteLineAsync($"sc2bridge: {failed.Pass.Name}: {failed.Problem}");
            }

            if (alike.Count() > printed)
            {
                await Console.Error.WriteLineAsync($"sc2bridge: {alike.Count() - printed} more failed for the same reason");
            }
        }

        return interrupted.IsCancellationRequested ? Failures.Interrupted
            : progress.Outcomes.Any(outcome => outcome.Ending == RecordEnding.Failed) ? 1
            : 0;
    }

    // Runs passes one after another. The game is kept for the next replay.
    private async Task WorkAsync(
        ConcurrentQueue<RecordPass> waiting, RecordProgress progress, ILoggerFactory logs, CancellationToken interrupted)
    {
        var games = new Dictionary<ReplayGameKind, ReplayGame>();
        try
        {
            while (!interrupted.IsCancellationRequested && waiting.TryDequeue(out var pass))
            {
                var recorder = new ReplayRecorder(pass, settings, publish, logs);
                progress.AddRunning(recorder);
                RecordOutcome outcome;
                try
                {
                    outcome = await recorder.RunAsync(
                        replay => games.TryGetValue(replay.Head.Kind, out var running)
                            ? running
                            : games[replay.Head.Kind] = Choose(replay).CreateReplayGame(),
                        interrupted);
                }
                catch (OperationCanceledException)
                {
                    outcome = new RecordOutcome(pass, RecordEnding.Stopped);
                }

                progress.AddOutcome(recorder, outcome);
            }
        }
        finally
        {
            foreach (var running in games.Values)
            {
                await running.DisposeAsync();
            }
        }
    }

    private ChosenGame Choose(Replay replay)
    {
        lock (_chosenLock)
        {
            return _chosen.TryGetValue(replay.Head.Kind, out var chosen)
                ? chosen
                : _chosen[replay.Head.Kind] = GameChooser.Choose(game, replay, _console.Print);
        }
    }
}
