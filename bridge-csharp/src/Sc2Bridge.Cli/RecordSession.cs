using System.Collections.Concurrent;
using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>Every pass of a plan, several games at once: what fails does not stop the others.</summary>
internal sealed class RecordSession(
    IReadOnlyList<RecordPass> plan, ReplaySettings settings, GameOptions game, int jobs, string folder, LogLevel level,
    PublishOptions? publish, ResultFile? json)
{
    // Lines on failures that are alike.
    private const int MostTold = 4;

    private readonly SessionConsole _console = new();
    private readonly Lock _chosenLock = new();
    private readonly Dictionary<ReplayKind, ChosenGame> _chosen = [];

    /// <summary>Makes the recordings.</summary>
    /// <param name="interrupted">Stops it.</param>
    /// <returns>The exit code.</returns>
    internal async Task<int> RunAsync(CancellationToken interrupted)
    {
        var cut = new CutOutput(_console.Say);
        cut.RepairIn(Path.GetDirectoryName(Path.GetFullPath(folder)) ?? folder);
        cut.RepairFiles(folder, below: true, plan.Select(pass => pass.PartFile).ToHashSet());
        using var logs = BridgeLog.Open(folder, level, _console.Warn, _console.Warn);
        Failures.Begin();
        var begin = Stopwatch.GetTimestamp();
        var board = new RecordBoard(plan.Count, _console.Say);
        var waiting = new ConcurrentQueue<RecordPass>(plan);
        using var ended = new CancellationTokenSource();
        var display = Task.Run(
            () => _console.Messages.ShowAsync(new RecordDisplay(board, TimeProvider.System).Rows, TimeProvider.System, ended.Token),
            CancellationToken.None);
        try
        {
            await Task.WhenAll(Enumerable.Range(0, Math.Min(jobs, plan.Count))
                .Select(_ => Task.Run(() => WorkAsync(waiting, board, logs, interrupted), CancellationToken.None)));
        }
        finally
        {
            await ended.CancelAsync();
            await display;
            await _console.EndAsync();
        }

        var report = RecordReport.Of(board.Outcomes, Stopwatch.GetElapsedTime(begin));
        if (json?.IsOutput != true)
        {
            RecordDisplay.Conclude(_console.Results, board.Outcomes, report);
        }

        json?.Write(JsonReports.Text(report, JsonReports.Default.RecordReport));
        foreach (var kept in board.Outcomes.Where(outcome => outcome.Unpublished is not null))
        {
            await Console.Error.WriteLineAsync($"sc2bridge: {kept.Pass.Name} is recorded: {kept.Unpublished}");
        }

        foreach (var alike in board.Outcomes
            .Where(outcome => outcome.Ending == RecordEnding.Failed)
            .GroupBy(outcome => outcome.Problem.Replace(outcome.Pass.Replay, "", StringComparison.Ordinal)))
        {
            // A version that is missing, say, may fail hundreds.
            var told = alike.Count() > MostTold ? 1 : MostTold;
            foreach (var failed in alike.Take(told))
            {
                await Console.Error.WriteLineAsync($"sc2bridge: {failed.Pass.Name}: {failed.Problem}");
            }

            if (alike.Count() > told)
            {
                await Console.Error.WriteLineAsync($"sc2bridge: {alike.Count() - told} more failed like this one");
            }
        }

        return interrupted.IsCancellationRequested ? Failures.Interrupted
            : board.Outcomes.Any(outcome => outcome.Ending == RecordEnding.Failed) ? 1
            : 0;
    }

    // One game at a time, kept for the next replay.
    private async Task WorkAsync(
        ConcurrentQueue<RecordPass> waiting, RecordBoard board, ILoggerFactory logs, CancellationToken interrupted)
    {
        var games = new Dictionary<ReplayKind, ReplayGame>();
        try
        {
            while (!interrupted.IsCancellationRequested && waiting.TryDequeue(out var pass))
            {
                var recorder = new ReplayRecorder(pass, settings, publish, logs);
                board.Begin(recorder);
                RecordOutcome outcome;
                try
                {
                    outcome = await recorder.RunAsync(
                        replay => games.TryGetValue(replay.Head.Kind, out var running)
                            ? running
                            : games[replay.Head.Kind] = Choose(replay).ForReplays(),
                        interrupted);
                }
                catch (OperationCanceledException)
                {
                    outcome = new RecordOutcome(pass, RecordEnding.Stopped);
                }

                board.End(recorder, outcome);
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
                : _chosen[replay.Head.Kind] = GameChooser.Choose(game, replay, _console.Say);
        }
    }
}
