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
/// Makes one recording of one pass through a replay, and leaves nothing but a whole one under its name.
/// </summary>
/// <param name="pass">The pass.</param>
/// <param name="settings">How every replay is watched.</param>
/// <param name="publish">The broker that gets it too; null for none.</param>
/// <param name="logs">Where its parts log to.</param>
internal sealed class ReplayRecorder(RecordPass pass, ReplaySettings settings, PublishOptions? publish, ILoggerFactory logs)
{
    // Nobody waits for the game: the disk gets its time.
    private static readonly RecorderOptions Patient = new()
    {
        DiskDeadline = TimeSpan.FromMinutes(1),
        EndDeadline = TimeSpan.FromMinutes(1),
    };

    private ReplaySource? _source;
    private MatchRunner? _runner;
    private PartialFile? _file;

    /// <summary>How far it is, of how many game loops; from any thread.</summary>
    internal (uint GameLoop, uint Loops) Progress =>
        (_runner?.Progress.GameLoop ?? 0, _source?.Loops ?? 0);

    /// <summary>What it makes.</summary>
    internal RecordPass Pass => pass;

    /// <summary>Makes it, unless it is there.</summary>
    /// <param name="open">Gives the game for a replay.</param>
    /// <param name="interrupted">Stops it; what was recorded until then goes.</param>
    /// <exception cref="OperationCanceledException">It was stopped before it began.</exception>
    internal async Task<RecordOutcome> RunAsync(Func<Replay, ReplayGame> open, CancellationToken interrupted)
    {
        var begin = Stopwatch.GetTimestamp();
        try
        {
            var outcome = Finished() ?? await RecordAsync(open, interrupted);
            return outcome with { Duration = Stopwatch.GetElapsedTime(begin) };
        }
        catch (NoSuchPlayerException) when (!pass.IsAskedFor)
        {
            return new RecordOutcome(pass, RecordEnding.NoSuchPlayer);
        }
        catch (Exception error) when (Failures.IsForAPerson(error))
        {
            return Failed(error.Message);
        }
    }

    // A recording under the final name: whole, or cut off by a machine that went down. Whatever else it is, it stays.
    private RecordOutcome? Finished()
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
        }.With(match, end);
    }

    private async Task<RecordOutcome> RecordAsync(Func<Replay, ReplayGame> open, CancellationToken interrupted)
    {
        var replay = Replay.Read(pass.Replay);
        using var hub = new Hub(new HubOptions { LoggerFactory = logs });
        await using var source = new ReplaySource(
            replay, settings with { Observe = pass.Observe }, open(replay), keepsGame: true);
        var runner = new MatchRunner(source, hub, StepRate.Max, stepLimit: 0);
        await runner.StartAsync(interrupted);
        (_source, _runner) = (source, runner);
        try
        {
            var outcome = await RecordAsync(hub, runner, source, interrupted);
            if (outcome.Ending == RecordEnding.Recorded)
            {
                _file!.Publish();
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
        using var recorder = new MatchRecorder(hub, Open(), Patient, told: _ => { }, failed: why =>
        {
            problem = $"{pass.File} could not be written ({why}): make room, or name another --out";
            stop.Cancel();
        });
        var publishing = new SidePath($"{pass.Name} at the broker", logs.CreateLogger<ReplayRecorder>());
        using var publisher = publish is null ? null : new MatchPublisher(
            hub, publish, $"{pass.PartFile}.spool", new SharedCompression(hub.Memory), publishing, told: _ => { });
        var end = await runner.RunAsync(stop.Token);
        await recorder.EndAsync(end);
        // The recording is whole all the same.
        var unpublished = publisher is null ? null : await publisher.EndAsync(end, interrupted);

        var figures = recorder.Figures;
        if (figures.MissingObservations > 0)
        {
            problem ??= $"the disk was too slow: {figures.MissingObservations} observations are missing";
        }

        return problem is not null ? Failed(problem)
            : interrupted.IsCancellationRequested && end.Reason == V1.EndReason.Stopped
                ? new RecordOutcome(pass, RecordEnding.Stopped)
            : end.Aborted ? Failed(end.Words())
            : new RecordOutcome(pass, RecordEnding.Recorded)
            {
                Observations = figures.Observations,
                Bytes = figures.Bytes,
                Unpublished = unpublished,
            }.With(source.Description, end);
    }

    // The partial file of a process that has ended is replaced.
    private FileStream Open()
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
                $"cannot write {pass.PartFile} ({error.Message}): name another place with --out", error);
        }
    }

    private RecordOutcome Failed(string problem) => new(pass, RecordEnding.Failed) { Problem = problem };
}
