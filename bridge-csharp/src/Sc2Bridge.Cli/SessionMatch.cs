using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>One match of a session, from its game to the hub, and to what it leaves behind.</summary>
internal sealed class SessionMatch : IDisposable
{
    private static readonly TimeSpan DisplayPatience = TimeSpan.FromSeconds(2);

    private readonly SessionOptions _options;
    private readonly Hub _hub;
    private readonly HealthOfBridge _health;
    private readonly SessionConsole _console;
    private readonly MatchOutput _output;
    private readonly SidePath _display;

    /// <summary>Makes its files, so that one that cannot be written is reported before a game is started.</summary>
    /// <param name="options">The session's, with this match's folder and recording.</param>
    /// <param name="hub">Where it is published.</param>
    /// <param name="health">Gets what its files lose.</param>
    /// <param name="console">Where to say what.</param>
    /// <param name="failedWrites">Gets those of its files that cannot be written any more.</param>
    /// <param name="compression">Shared with those who subscribe.</param>
    /// <param name="logs">Where its parts log to.</param>
    /// <exception cref="CommandException">A file cannot be made.</exception>
    internal SessionMatch(
        SessionOptions options, Hub hub, HealthOfBridge health, SessionConsole console, FailedWrites failedWrites,
        SharedCompression compression, ILoggerFactory logs)
    {
        (_options, _hub, _health, _console) = (options, hub, health, console);
        var logger = logs.CreateLogger<SessionMatch>();
        _display = new SidePath("progress", logger);
        _output = new MatchOutput(options, hub, health, console.Say, failedWrites, compression, logger);
    }

    /// <summary>How a match ended, and its figures.</summary>
    /// <param name="End">How it ended.</param>
    /// <param name="Report">For machines.</param>
    /// <param name="Failed">Whether its end is a failure.</param>
    internal sealed record Played(MatchEnd End, MatchReport Report, bool Failed);

    /// <summary>Plays it.</summary>
    /// <param name="match">What is streamed; the caller disposes its source.</param>
    /// <param name="agents">Those that were started for it.</param>
    /// <param name="restarts">Tells when it shall end for another; null where it does not.</param>
    /// <param name="isFirst">Whether it is the session's first: if it cannot be started, no other follows.</param>
    /// <param name="nextFollows">Whether agents shall stay for another.</param>
    /// <param name="where">Where agents can subscribe, for people.</param>
    /// <param name="interrupted">Stops it.</param>
    /// <exception cref="GameException">It could not be started; waiting agents were notified.</exception>
    /// <exception cref="CommandException">An agent did not start.</exception>
    internal async Task<Played> PlayAsync(
        StreamedMatch match, AgentProcesses agents, Restarts? restarts, bool isFirst, bool nextFollows, string where,
        CancellationToken interrupted)
    {
        using var progress = new AgentProgress(_hub, agents.Names);
        using var agentLog = _output.LogAgents();
        using var stepLog = _output.LogSteps();
        using var hurry = interrupted.Register(stepLog.Finish);
        var runner = new MatchRunner(match.Source, _hub, match.Rate, match.StepLimit) { NextFollows = nextFollows };
        _ = restarts?.Asked.ContinueWith(
            _ => runner.Restart(), CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        try
        {
            await runner.StartAsync(interrupted);
        }
        catch (GameException problem)
        {
            // Nothing has been observed: nothing is recorded.
            Dispose();
            Refuse(match, problem.Message, nextFollows && !isFirst);
            throw;
        }

        if (_output.Publisher is { } publisher)
        {
            _console.Say($"published to {_options.Publish!.Address} as match {publisher.Key}");
        }

        var description = match.Source.Description;
        var game = $"{description.MapName}, {SummaryReport.Game(description)}";
        _console.Say($"{game}: {where}, logs in {_options.OutputFolder}");
        if (_options.PrintsEvents)
        {
            _console.Emit(
                "match",
                new MatchEvent(
                    description.MatchId, description.MapName, description.Simulated, description.Ping?.GameVersion ?? "", description.Seed,
                    _options.OutputFolder),
                JsonReports.Default.MatchEvent);
        }

        try
        {
            await GatherAsync(runner, agents, interrupted);
        }
        catch (CommandException)
        {
            var failed = Failed(description, "an agent did not start");
            _hub.End(failed);
            await EndPublishingAsync(failed, interrupted);
            throw;
        }

        if (match.Forfeits)
        {
            _hub.Events.SideAbandoned += runner.Forfeit;
            foreach (var player in description.Players.Where(player => _hub.IsAbandoned(player.PlayerId)))
            {
                runner.Forfeit(player.PlayerId);
            }
        }

        var begin = Stopwatch.GetTimestamp();
        var end = await RunAsync(runner, match, agents, interrupted);
        _hub.Events.SideAbandoned -= runner.Forfeit;
        var duration = Stopwatch.GetElapsedTime(begin);
        await stepLog.Ended;
        await (_output.Recorder?.EndAsync(end) ?? Task.CompletedTask);
        await EndPublishingAsync(end, interrupted);
        if (!nextFollows)
        {
            await agents.WaitUntilLeftAsync(progress, interrupted);
        }

        await LastReaders.WaitAsync(_hub, end.MatchId, TimeProvider.System, interrupted);
        await _hub.Events.FlushAsync();
        foreach (var problem in nextFollows ? [] : await agents.ProblemsAsync())
        {
            _console.Fail(problem);
        }

        var report = SummaryReport.Make(description, match.Rate, end, duration, _output.Figures.Summarize(), _output.Recorded) with
        {
            Proxy = ProxyReport.Of(match.Source),
            Publication = _output.Publisher?.Figures,
            Losses = [.. _output.Losses.Concat([_hub.Events.Path, _display, _console.Losses])
                .Where(path => path.Problem is not null)
                .Select(path => new LossReport(path.Name, path.Lost, path.Problem!))],
        };
        return new Played(end, report, match.IsFailure(end));
    }

    /// <inheritdoc/>
    public void Dispose() => _output.Dispose();

    private async Task EndPublishingAsync(MatchEnd end, CancellationToken interrupted)
    {
        if (_output.Publisher is { } publisher && await publisher.EndAsync(end, interrupted) is { } unpublished)
        {
            _console.Fail(unpublished);
        }
    }

    // A game that is gone meanwhile needs nobody but the agents that were started, who hear of it: the match then ends
    // where it would begin.
    private async Task GatherAsync(MatchRunner runner, AgentProcesses agents, CancellationToken interrupted)
    {
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(interrupted);
        var gathering = agents.WaitUntilSubscribedAsync(_options, enough.Token);
        if (await Task.WhenAny(gathering, runner.Failed) != gathering)
        {
            await enough.CancelAsync();
            await gathering.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            gathering = agents.WaitUntilSubscribedAsync(_options with { WaitFor = 0 }, interrupted);
        }

        await gathering;
    }

    // Waiting agents get the description, and why the match did not start.
    private void Refuse(StreamedMatch match, string reason, bool nextFollows)
    {
        if (match.Planned is { } planned)
        {
            _hub.Announce(planned, match.Source);
            var end = Failed(planned, reason);
            end.NextFollows = nextFollows;
            _hub.End(end);
        }
    }

    private static MatchEnd Failed(MatchDescription match, string why) => new()
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
        var keys = match.Source.Playback is { } playback ? PlaybackKeys.Listen(playback, _console.Say) : null;
        var display = Task.Run(
            () => ShowAsync(
                new ProgressDisplay(
                    $"{description.MapName}, {SummaryReport.Game(description)}", () => runner.Progress, match.StepLimit, _hub, _health,
                    _output.Recorder, keys, TimeProvider.System),
                ended.Token),
            CancellationToken.None);
        if (!match.Forfeits)
        {
            // With --forfeit the abandoned side loses, which ends the match too.
            _ = agents.EndAbandonedAsync(runner, description, ended.Token);
        }

        var end = await runner.RunAsync(interrupted);
        if (match.IsFailure(end))
        {
            _console.Fail($"{end.Words().TrimEnd('.')}. {match.Advice} {_options.OutputFolder}.");
        }

        await ended.CancelAsync();

        // A terminal that is held holds neither the match nor its files.
        await Task.WhenAny(display, Task.Delay(DisplayPatience, CancellationToken.None));
        return end;
    }

    private async Task ShowAsync(ProgressDisplay display, CancellationToken ended)
    {
        try
        {
            await _console.Messages.ShowAsync(display.Rows, TimeProvider.System, ended);
        }
#pragma warning disable CA1031 // What shows the match's progress is no part of it.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            _display.Lose(failure);
        }
    }
}
