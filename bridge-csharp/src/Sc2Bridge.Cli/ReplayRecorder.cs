using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>
/// Records one pass through a replay. Only a complete recording gets the final name.
/// </summary>
/// <param name="pass">The pass.</param>
/// <param name="settings">The settings for all replays.</param>
/// <param name="publish">How to publish the match to a broker; null to publish nothing.</param>
/// <param name="logs">Creates the loggers.</param>
internal sealed class ReplayRecorder(RecordPass pass, ReplaySettings settings, PublishOptions? publish, ILoggerFactory logs)
{
    // The replay does not run in real time, so the game can wait for the disk.
    private static readonly RecorderOptions PatientOptions = new()
    {
        DiskDeadline = TimeSpan.FromMinutes(1),
        EndDeadline = TimeSpan.FromMinutes(1),
    };

    private ReplaySource? _source;
    private MatchRunner? _runner;
    private PartialFile? _file;

    /// <summary>The current game loop, and the length of the replay in game loops. Both are 0 before the start. Thread-safe.</summary>
    internal (uint GameLoop, uint TotalLoops) Progress =>
        (_runner?.Progress.GameLoop ?? 0, _source?.Loops ?? 0);

    /// <summary>The recorded pass.</summary>
    internal RecordPass Pass => pass;

    /// <summary>Records the pass, unless its recording exists.</summary>
    /// <param name="openGame">Returns the game that plays a replay.</param>
    /// <param name="interrupted">Stops the recording. The partial file is deleted.</param>
    /// <exception cref="OperationCanceledException">The recording was stopped before it began.</exception>
    internal async Task<RecordOutcome> RunAsync(Func<Replay, ReplayGame> openGame, CancellationToken interrupted)
    {
        var begin = Stopwatch.GetTimestamp();
        try
        {
            var outcome = FindFinished() ?? await RecordAsync(openGame, interrupted);
            return outcome with { Duration = Stopwatch.GetElapsedTime(begin) };
        }
        catch (NoSuchPlayerException) when (!pass.IsRequested)
        {
            return new RecordOutcome(pass, RecordEnding.NoSuchPlayer);
        }
        catch (Exception error) when (Failures.IsUserError(error))
        {
            return CreateFailed(error.Message);
        }
    }

    // Returns the outcome if the final file exists already. Returns null if the file is missing or incomplete, for example after a
    // power failure. Throws if the file is a recording of something else, because such a file must not be replaced.
    private RecordOutcome? FindFinished()
    {
        if (!File.Exists(pass.File))
        {
            return null;
        }

        using var recording = RecordingReader.Open(pass.File);
        var match = recording.Description;
        if (match.Replay != Path.GetFileName(pass.Replay) || match.StepSize != settings.StepSize
            || !match.Perspectives.SequenceEqual([pass.Observe]))
        {
            throw new CommandException(
                $"{pass.File} is another recording, not this one of {pass.Replay} with steps of {settings.StepSize}: "
                + "move it away, or name another --out");
        }

        if (recording.Problem is not null || recording.ReadEnd() is not { Aborted: false } end)
        {
            return null;
        }

        return new RecordOutcome(pass, RecordEnding.WasThere)
        {
            Observations = recording.Count(pass.Observe),
            Bytes = recording.FileLength,
        }.WithMatch(match, end);
    }

    private async Task<RecordOutcome> RecordAsync(Func<Replay, ReplayGame> openGame, CancellationToken interrupted)
    {
        var replay = Replay.Read(pass.Replay);
        using var hub = new Hub(new HubOptions { LoggerFactory = logs });
        await using var source = new ReplaySource(
            replay, settings with { Observe = pass.Observe }, openGame(replay), keepsGame: true);
        var runner = new MatchRunner(source, hub, StepRate.Max, stepLimit: 0);
        await runner.StartAsync(interrupted);
        (_source, _runner) = (source, runner);
        try
        {
            var outcome = await RecordAsync(hub, runner, source, interrupted);
            if (outcome.Ending == RecordEnding.Recorded)
            {
                _file!.Commit();
            }

            return outcome;
        }
        finally
        {
            using (_file)
            {
                _file?.Delete();
            }
        }
    }

    private async Task<RecordOutcome> RecordAsync(
        Hub hub, MatchRunner runner, ReplaySource source, CancellationToken interrupted)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(interrupted);
        string? problem = null;
        using var recorder = new MatchRecorder(hub, CreateFile(), PatientOptions, told: _ => { }, failed: why =>
        {
            problem = $"{pass.File} could not be written ({why}): make room, or name another --out";
            stop.Cancel();
        });
        var publishing = new SidePath($"{pass.Name} at the broker", logs.CreateLogger<ReplayRecorder>());
        using var publisher = publish is null ? null : new MatchPublisher(
            hub, publish, $"{pass.PartialPath}.spool", new SharedCompression(hub.Memory), publishing, notify: _ => { });
        var end = await runner.RunAsync(stop.Token);
        await recorder.EndAsync(end);
        // If publishing fails, the recording is still complete.
        var unpublished = publisher is null ? null : await publisher.EndAsync(end, interrupted);

        var figures = recorder.Figures;
        if (figures.MissingObservations > 0)
        {
            problem ??= $"the disk was too slow: {figures.MissingObservations} observations are missing";
        }

        return problem is not null ? CreateFailed(problem)
            : interrupted.IsCancellationRequested && end.Reason == V1.EndReason.Stopped
                ? new RecordOutcome(pass, RecordEnding.Stopped)
            : end.Aborted ? CreateFailed(end.Words())
            : new RecordOutcome(pass, RecordEnding.Recorded)
            {
                Observations = figures.Observations,
                Bytes = figures.Bytes,
                Unpublished = unpublished,
            }.WithMatch(source.Description, end);
    }

    // The partial file of a process that has ended is replaced.
    private FileStream CreateFile()
    {
        try
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(pass.File))!);
            _file = PartialFile.Create(pass.File, replaces: true);
            return _file.Stream;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new CommandException(
                $"cannot write {pass.PartialPath} ({error.Message}): name another folder with --out", error);
        }
    }

    private RecordOutcome CreateFailed(string problem) => new(pass, RecordEnding.Failed) { Problem = problem };
}
