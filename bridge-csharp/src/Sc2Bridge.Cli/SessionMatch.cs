using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>Plays one match of a session: passes the frames of its game to the hub, and writes its output.</summary>
internal sealed class SessionMatch : IDisposable
{
    private static readonly TimeSpan DisplayTimeout = TimeSpan.FromSeconds(2);

    private readonly SessionOptions _options;
    private readonly Hub _hub;
    private readonly HealthOfBridge _health;
    private readonly SessionConsole _console;
    private readonly MatchOutput _output;
    private readonly SidePath _display;

    /// <summary>Creates the files, so that a file that cannot be written is reported before a game starts.</summary>
    /// <param name="options">The options of the session, with the folder and the recording of this match.</param>
    /// <param name="hub">The hub that gets the match.</param>
    /// <param name="health">Reports losses of the output.</param>
    /// <param name="console">Prints lines and results.</param>
    /// <param name="failedWrites">Collects the files that cannot be written.</param>
    /// <param name="compression">The compression that the subscribers share.</param>
    /// <param name="logs">Creates the loggers.</param>
    /// <exception cref="CommandException">A file cannot be created.</exception>
    internal SessionMatch(
        SessionOptions options, Hub hub, HealthOfBridge health, SessionConsole console, FailedWrites failedWrites,
        SharedCompression compression, ILoggerFactory logs)
    {
        (_options, _hub, _health, _console) = (options, hub, health, console);
        var logger = logs.CreateLogger<SessionMatch>();
        Collector = new FactCollector(hub, options.PostMortem == PostMortemMode.Never ? null : options.OutputFolder);
        _display = new SidePath("progress", logger);
        _output = new MatchOutput(options, hub, health, console.Print, failedWrites, compression, logger);
    }

    /// <summary>Collects facts for the post-mortem.</summary>
    internal FactCollector Collector { get; }

    /// <summary>How a match ended, and its figures.</summary>
    /// <param name="End">How it ended.</param>
    /// <param name="Report">The JSON report.</param>
    /// <param name="Failed">Whether the end of the match is a failure.</param>
    internal sealed record PlayedMatch(MatchEnd End, MatchReport Report, bool Failed);

    /// <summary>Plays the match.</summary>
    /// <param name="match">The match. The caller disposes its source.</param>
    /// <param name="agents">The started agents.</param>
    /// <param name="restarts">The requests of clients to restart; null if clients cannot restart.</param>
    /// <param name="isFirst">Whether this is the first match of the session. If the first match cannot be started, no other match follows.</param>
    /// <param name="nextFollows">Whether another match follows. If so, agents stay.</param>
    /// <param name="addresses">The addresses where agents can subscribe, for a printed line.</param>
    /// <param name="interrupted">Stops the match.</param>
    /// <exception cref="GameException">The match could not be started. Waiting agents were notified.</exception>
    /// <exception cref="CommandException">An agent did not start.</exception>
    internal async Task<PlayedMatch> PlayAsync(
        StreamedMatch match, AgentProcesses agents, Restarts? restarts, bool isFirst, bool nextFollows, string addresses,
        CancellationToken interrupted)
    {
        using var progress = new AgentProgress(_hub, agents.Names);
        using var agentLog = _output.LogAgents();
        using var stepLog = _output.LogSteps();
        using var finishLogOnInterrupt = interrupted.Register(stepLog.Finish);
        var runner = new MatchRunner(match.Source, _hub, match.Rate, match.StepLimit) { NextFollows = nextFollows };
        _ = restarts?.Requested.ContinueWith(
            _ => runner.Restart(), CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        try
        {
            await runner.StartAsync(interrupted);
        }
        catch (GameException problem)
        {
            Collector.NoteBots(match.Source);

            // The recording is empty. Closing the output deletes it.
            Dispose();
            AnnounceFailure(match, problem.Message, nextFollows && !isFirst);
            throw;
        }

        if (_output.Publisher is { } publisher)
        {
            _console.Print($"published to {_options.Publish!.Address} as match {publisher.Key}");
        }

        var description = match.Source.Description;
        Collector.NoteStart(runner, description, match.Rate);
        var game = $"{description.MapName}, {SummaryReport.DescribeGame(description)}";
        _console.Print($"{game}: {addresses}, logs in {_options.OutputFolder}");
        if (match.Source is LiveSource or ProxySource or ReplaySource or MultiplayerSource && !description.Simulated)
        {
            _console.Print("This is StarCraft II. The project's own tests run on the simulated game and on messages of the real game, not on the");
            _console.Print("game itself. Confirmed parts, and how to help in a few minutes with sc2bridge doctor --play:");
            _console.Print($"{IssueLink.Repository}/blob/v{MachineFindings.Version}/docs/guide/real-game.md");
        }

        if (_options.PrintsEvents)
        {
            _console.EmitEvent(
                "match",
                new MatchEvent(
                    description.MatchId, description.MapName, description.Simulated, description.Ping?.GameVersion ?? "", description.Seed,
                    _options.OutputFolder),
                JsonReports.Default.MatchEvent);
        }

        try
        {
            await WaitForAgentsAsync(runner, agents, interrupted);
        }
        catch (CommandException)
        {
            var failed = CreateFailedEnd(description, "an agent did not start");
            _hub.End(failed);
            await EndPublishingAsync(failed, interrupted);
            throw;
        }

        if (match.Forfeits)
        {
            _hub.Events.SideAbandoned += runner.Forfeit;
            foreach (var player in description.Players.Where(player => _hub.IsSideAbandoned(player.PlayerId)))
            {
                runner.Forfeit(player.PlayerId);
            }
        }

        var begin = Stopwatch.GetTimestamp();
        var end = await RunAsync(runner, match, agents, interrupted);
        Collector.NoteEnd(runner, end, match.Source);
        _hub.Events.SideAbandoned -= runner.Forfeit;
        var duration = Stopwatch.GetElapsedTime(begin);
        await stepLog.Ended;
        await (_output.Recorder?.EndAsync(end) ?? Task.CompletedTask);
        await EndPublishingAsync(end, interrupted);
        if (!nextFollows)
        {
            await agents.WaitForExitAsync(progress, interrupted);
        }

        await LastReaders.WaitAsync(_hub, end.MatchId, TimeProvider.System, interrupted);
        await _hub.Events.FlushAsync();
        foreach (var problem in nextFollows ? [] : await agents.CollectProblemsAsync())
        {
            _console.AddProblem(problem);
        }

        var report = SummaryReport.Make(description, match.Rate, end, duration, _output.Figures.Summarize(), _output.Recorded) with
        {
            Proxy = ProxyReport.Of(match.Source),
            Publication = _output.Publisher?.Figures,
            Losses = [.. _output.LogSidePaths.Concat([_hub.Events.SidePath, _display, _console.Losses])
                .Where(path => path.Problem is not null)
                .Select(path => new LossReport(path.Name, path.Lost, path.Problem!))],
        };
        return new PlayedMatch(end, report, match.IsFailure(end));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _output.Dispose();
        Collector.Dispose();
    }

    private async Task EndPublishingAsync(MatchEnd end, CancellationToken interrupted)
    {
        if (_output.Publisher is { } publisher && await publisher.EndAsync(end, interrupted) is { } unpublished)
        {
            _console.AddProblem(unpublished);
        }
    }

    // Waits for agents. If the game ends during this wait, the match cannot begin. Then this method waits only for the started
    // agents, so that these agents receive the error.
    private async Task WaitForAgentsAsync(MatchRunner runner, AgentProcesses agents, CancellationToken interrupted)
    {
        using var stopWaiting = CancellationTokenSource.CreateLinkedTokenSource(interrupted);
        var waiting = agents.WaitUntilSubscribedAsync(_options, stopWaiting.Token);
        if (await Task.WhenAny(waiting, runner.Failed) != waiting)
        {
            await stopWaiting.CancelAsync();
            await waiting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            waiting = agents.WaitUntilSubscribedAsync(_options with { WaitFor = 0 }, interrupted);
        }

        await waiting;
    }

    // Sends the description, and the reason why the match did not start, to waiting agents.
    private void AnnounceFailure(StreamedMatch match, string reason, bool nextFollows)
    {
        if (match.PlannedDescription is { } planned)
        {
            _hub.Announce(planned, match.Source);
            var end = CreateFailedEnd(planned, reason);
            end.NextFollows = nextFollows;
            _hub.End(end);
        }
    }

    private static MatchEnd CreateFailedEnd(MatchDescription match, string why) => new()
    {
        MatchId = match.MatchId,
        Reason = EndReason.Failed,
        Detail = why,
        Aborted = true,
    };

    private async Task<MatchEnd> RunAsync(
        MatchRunner runner, StreamedMatch match, AgentProcesses agents, CancellationToken interrupted)
    {
        using var ended = new CancellationTokenSource();
        var description = match.Source.Description;
        var keys = match.Source.Playback is { } playback ? PlaybackKeys.Listen(playback, _console.Print) : null;
        var display = Task.Run(
            () => ShowAsync(
                new ProgressDisplay(
                    $"{description.MapName}, {SummaryReport.DescribeGame(description)}", () => runner.Progress, match.StepLimit, _hub, _health,
                    _output.Recorder, keys, TimeProvider.System),
                ended.Token),
            CancellationToken.None);
        if (!match.Forfeits)
        {
            // Without --forfeit, this call ends an abandoned match. With --forfeit, the abandoned side loses, which also ends the match.
            _ = agents.EndIfAbandonedAsync(runner, description, ended.Token);
        }

        var end = await runner.RunAsync(interrupted);
        if (match.IsFailure(end))
        {
            _console.AddProblem($"{end.Words().TrimEnd('.')}. {match.Advice} {_options.OutputFolder}.");
        }

        await ended.CancelAsync();

        // A paused terminal delays neither the match nor its files.
        await Task.WhenAny(display, Task.Delay(DisplayTimeout, CancellationToken.None));
        return end;
    }

    private async Task ShowAsync(ProgressDisplay display, CancellationToken ended)
    {
        try
        {
            await _console.Messages.ShowProgressAsync(display.Rows, TimeProvider.System, ended);
        }
#pragma warning disable CA1031 // A failure of the progress display must not fail the match.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            _display.ReportLoss(failure);
        }
    }
}
