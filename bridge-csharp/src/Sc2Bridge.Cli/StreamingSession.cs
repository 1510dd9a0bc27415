using System.Diagnostics;
using Sc2Bridge.Encoding;
using Sc2Bridge.Games;
using Sc2Bridge.Proxy;
using Sc2Bridge.Recording.Writing;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.Transports;
using Sc2Bridge.V1;
using Spectre.Console;

namespace Sc2Bridge.Cli;

/// <summary>
/// One match from its set-up to its summary: the source, the hub, the servers, the agents and the logs, wired together.
/// </summary>
internal sealed class StreamingSession(SessionOptions options)
{
    // How long a subscriber that others started may take for nothing at all, once the match has ended.
    private static readonly TimeSpan OthersPatience = TimeSpan.FromSeconds(5);

    private readonly IAnsiConsole _console = Consoles.Make();
    private readonly MatchFigures _figures = new();
    private readonly List<string> _problems = [];
    private bool _logFailed;

    /// <summary>Plays it.</summary>
    /// <param name="choose">What is streamed; called when the servers listen, with where to say which it is.</param>
    /// <param name="interrupted">Stops the match.</param>
    /// <returns>The exit code.</returns>
    internal async Task<int> RunAsync(Func<Action<string>, StreamedMatch> choose, CancellationToken interrupted)
    {
        using var stepsFile = LogFile.Open(options.OutputFolder, "steps.csv");
        using var agentsFile = LogFile.Open(options.OutputFolder, "agents.csv");
        using var hub = new Hub(
            new HubOptions { LockstepDeadline = options.LockstepDeadline, PauseDeadline = options.PauseDeadline });
        hub.Noticed += Say;
        await using var server = await BridgeServer.StartAsync(
            hub,
            new BridgeServerOptions
            {
                GrpcAddress = options.GrpcAddress,
                WebAddress = options.WebAddress,
                AllowDeflate = options.AllowDeflate,
                AllowedOrigins = options.AllowedOrigins,
            },
            interrupted);
        using var recorder = MatchRecording.Start(hub, options.RecordingFile, Say, FailLog);
        var match = choose(Say);
        await using var source = match.Source;
        using var agents = AgentProcesses.Start(
            options, match.Rate.Realtime, server.GrpcAddress, server.WebAddress, Say);
        using var agentLog = new AgentLog(hub, agentsFile, _figures, FailLog);
        using var stepLog = new StepLog(
            hub, stepsFile, _figures, options.CodecLog, FrameProbes.All(), FailLog,
            recorder is null ? null : recorder.Add);
        var runner = new MatchRunner(source, hub, match.Pace, match.StepLimit);
        await runner.StartAsync(interrupted);
        var description = source.Description;
        Say($"{description.MapName}, {Game(description)}: gRPC on {server.GrpcAddress}, "
            + $"WebSocket on ws://{server.WebAddress}/v1, logs in {options.OutputFolder}");
        try
        {
            await agents.WaitUntilSubscribedAsync(hub, options, interrupted);
        }
        catch (CommandException)
        {
            hub.End(new MatchEnd { Match = description.Match, Reason = "an agent did not start", Aborted = true });
            throw;
        }

        if (match.Forfeits)
        {
            hub.Deserted += runner.Forfeit;
            foreach (var player in description.Players.Where(player => hub.IsDeserted(player.PlayerId)))
            {
                runner.Forfeit(player.PlayerId);
            }
        }

        var begin = Stopwatch.GetTimestamp();
        var end = await PlayAsync(runner, hub, recorder, match, interrupted);
        var duration = Stopwatch.GetElapsedTime(begin);
        await stepLog.Ended;
        await (recorder?.EndAsync(end) ?? Task.CompletedTask);
        foreach (var name in await agents.WaitUntilLeftAsync())
        {
            Fail($"agent {name} failed: see its lines above");
        }

        await HearOthersOutAsync(hub);
        var recorded = recorder is null ? null : new RecordingReport(options.RecordingFile!, recorder.Figures);
        var report = SummaryReport.Make(description, match.Rate, end, duration, _figures.Summarize(), recorded) with
        {
            Proxy = (source as ProxySource)?.Delays,
        };
        WriteSummary(report, Path.Combine(options.OutputFolder, "summary.json"));
        if (options.JsonFile is not null)
        {
            WriteSummary(report, options.JsonFile);
        }

        SummaryReport.Print(_console, report);
        var failed = match.IsFailure(end);
        var results = string.Join(", ", end.Results.Select(result => $"player {result.PlayerId} {result.Result}"));
        Say($"ended{(failed ? "" : $" ({end.Reason})")} at game loop {end.GameLoop} "
            + $"after {report.Figures.Steps} observations in {duration.TotalSeconds:0.0} s"
            + (results.Length > 0 ? $": {results}" : ""));
        foreach (var problem in _problems)
        {
            await Console.Error.WriteLineAsync($"sc2bridge: {problem}");
        }

        return interrupted.IsCancellationRequested ? Failures.Interrupted : failed || _problems.Count > 0 ? 1 : 0;
    }

    // Subscribers that others started may have frames queued, and the match's end after them: they are waited for as long
    // as they take some.
    private static async Task HearOthersOutAsync(Hub hub)
    {
        var (heard, since) = (-1L, Stopwatch.GetTimestamp());
        while (hub.Subscribers.Where(subscriber => !subscriber.Internal).ToList() is { Count: > 0 } others)
        {
            // One that left counts as a step ahead too.
            var now = others.Sum(other => other.Delivered) - ((long)others.Count << 40);
            if (now != heard)
            {
                (heard, since) = (now, Stopwatch.GetTimestamp());
            }
            else if (Stopwatch.GetElapsedTime(since) > OthersPatience)
            {
                return;
            }

            await Task.Delay(20);
        }
    }

    private async Task<MatchEnd> PlayAsync(
        MatchRunner runner, Hub hub, MatchRecorder? recorder, StreamedMatch match, CancellationToken interrupted)
    {
        using var ended = new CancellationTokenSource();
        var description = match.Source.Description;
        var keys = match.Source.Playback is { } playback ? PlaybackKeys.Listen(playback, Say) : null;
        var display = new ProgressDisplay(
            _console, $"{description.MapName}, {Game(description)}", () => runner.Progress, hub, recorder, keys)
            .RunAsync(ended.Token);
        var end = await runner.RunAsync(interrupted);
        if (match.IsFailure(end))
        {
            Fail($"{end.Reason.TrimEnd('.')}. {match.Advice} {options.OutputFolder}.");
        }

        await ended.CancelAsync();
        await display;
        return end;
    }

    private void WriteSummary(MatchReport report, string path)
    {
        try
        {
            SummaryReport.Write(report, path);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            FailLog($"{path} could not be written ({error.Message}): make room or choose another place");
        }
    }

    private static string Game(MatchDescription description) =>
        description.Simulated ? "simulated" : $"StarCraft II {description.Ping?.GameVersion}";

    private void Say(string line) => _console.WriteLine(line);

    // A full disk fails every log: the first says it for all.
    private void FailLog(string problem)
    {
        if (!Interlocked.Exchange(ref _logFailed, true))
        {
            Fail(problem);
        }
    }

    private void Fail(string problem)
    {
        lock (_problems)
        {
            _problems.Add(problem);
        }
    }
}
