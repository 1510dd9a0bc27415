using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using Microsoft.Extensions.Logging.Abstractions;
using Sc2Bridge.Broker.Work;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Processes;
using Sc2Bridge.Recordings;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Cli;

/// <summary>
/// Runs jobs. A replay runs in this process, and its game is reused for the next replay. A match runs as
/// <c>sc2bridge match</c> in a separate process, with its agents.
/// </summary>
/// <param name="store">The store of the results.</param>
/// <param name="worker">The worker's name.</param>
/// <param name="jobTime">The time limit of a job.</param>
/// <param name="game">The game to play on.</param>
/// <param name="matchArguments">More arguments of <c>sc2bridge match</c>.</param>
internal sealed class JobRunner(
    ResultStore store, string worker, TimeSpan jobTime, GameOptions game, IReadOnlyList<string> matchArguments) : IAsyncDisposable
{
    private const string RecordingName = "match.mcap";

    private const int MaxUploads = 3;

    private readonly ConcurrentBag<Dictionary<ReplayGameKind, ReplayGame>> _idleGames = [];

    /// <summary>How long the runner waits before it tries again to publish a result.</summary>
    internal TimeSpan UploadPause { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Runs a job, unless its result exists.</summary>
    /// <param name="job">The job.</param>
    /// <param name="failures">How often the job has failed before.</param>
    /// <param name="stop">Stops the job, and deletes the files of the job.</param>
    /// <returns>Null if the job now has a complete result; else the reason for the failure, as one line.</returns>
    /// <exception cref="OperationCanceledException">The job was stopped.</exception>
    /// <exception cref="ResultStoreException">The store cannot be used.</exception>
    internal async Task<string?> RunAsync(Job job, int failures, CancellationToken stop)
    {
        var begin = Stopwatch.GetTimestamp();
        string? folder = null;
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(stop);
        try
        {
            // The time limit of the job does not include requests to the store. These requests have their own timeouts.
            if (await store.HasResultAsync(job.Id, stop))
            {
                // The worker that published the result may have been killed before it deleted the unfinished results of this job.
                await store.DeleteUnfinishedAsync(job.Id, stop);
                return null;
            }

            folder = await store.BeginResultAsync(job.Id, stop);
            timeout.CancelAfter(jobTime);
            var result = new JobResult { Job = job, Worker = worker, Failures = (uint)failures };
            if (job.WhatCase == Job.WhatOneofCase.Match)
            {
                await PlayAsync(job.Match, folder, timeout.Token);
            }

            if (job.WhatCase == Job.WhatOneofCase.Match || await RecordAsync(job.Record, folder, timeout.Token))
            {
                ReadFigures(result, folder);
            }

            result.Seconds = Math.Round(Stopwatch.GetElapsedTime(begin).TotalSeconds, 3);
            result.CreatedMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
            return await PublishAsync(folder, result, stop);
        }
        catch (Exception error) when (error is OperationCanceledException
            || (error is not ResultStoreException && Failures.IsUserError(error)))
        {
            stop.ThrowIfCancellationRequested();

            // Another worker may have published a result meanwhile.
            return await store.HasResultAsync(job.Id, stop) ? null
                : error is not OperationCanceledException ? error.Message
                : string.Create(CultureInfo.InvariantCulture, $"the job took longer than {jobTime.TotalSeconds:0} s (--job-time)");
        }
        finally
        {
            if (folder is not null)
            {
                await store.DeleteFolderAsync(folder);
            }
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (var running in _idleGames.SelectMany(games => games.Values))
        {
            await running.DisposeAsync();
        }
    }

    /// <summary>Publishes a result. If the store still fails after some tries, the job counts as failed. Otherwise
    /// the job could be repeated without end.</summary>
    /// <returns>Null if the result was published; else the reason.</returns>
    internal async Task<string?> PublishAsync(string folder, JobResult result, CancellationToken stop)
    {
        for (var upload = 1; ; upload++)
        {
            try
            {
                await store.PublishAsync(folder, result, stop);
                return null;
            }
            catch (ResultStoreException refused) when (upload == MaxUploads)
            {
                return refused.Message;
            }
            catch (ResultStoreException)
            {
                await Task.Delay(UploadPause, stop);
            }
        }
    }

    // A value in a job must not become an option. Each value is therefore in the same word as its option (--option=value).
    private async Task PlayAsync(MatchJob match, string folder, CancellationToken ct)
    {
        List<string> words = [.. OwnProgram.CommandWords, "match", "--no-config"];
        words.AddRange(match.Players.Select(player => $"--player={PlayerSpec.Parse(player)}"));
        words.Add(string.Create(CultureInfo.InvariantCulture, $"--seed={match.Seed}"));
        if (match.Map.Length > 0)
        {
            words.Add($"--map={match.Map}");
        }

        if (match.Steps > 0)
        {
            words.Add(string.Create(CultureInfo.InvariantCulture, $"--steps={match.Steps}"));
        }

        words.Add(string.Create(CultureInfo.InvariantCulture, $"--step-size={Math.Max(1, match.StepSize)}"));

        // The match runs in its output folder, because its summary names files relative to the current folder.
        var start = ChildEnvironment.CreateStartInfo(
            ChildKind.Match, words[0], [.. words.Skip(1), "--quiet", "--out=.", "--grpc=127.0.0.1:0", "--web=127.0.0.1:0", .. matchArguments]);
        start.WorkingDirectory = folder;
        start.Environment["PYTHONPATH"] = PythonInterpreter.PythonPathFromHere;
        await ProcessRun.RunToEndAsync(start, ct);
    }

    // Returns false if the replay lacks the player of the job, and the job allows that.
    private async Task<bool> RecordAsync(RecordJob record, string folder, CancellationToken ct)
    {
        var settings = new ReplaySettings { StepSize = Math.Max(1, record.StepSize) };
        settings.Validate();
        var pass = new RecordPass(record.Replay, record.Observe, Path.Combine(folder, RecordingName), !record.IfPlayed);
        if (!_idleGames.TryTake(out var games))
        {
            games = [];
        }

        try
        {
            var outcome = await new ReplayRecorder(pass, settings, publish: null, NullLoggerFactory.Instance).RunAsync(
                replay => games.TryGetValue(replay.Head.Kind, out var running)
                    ? running
                    : games[replay.Head.Kind] = GameChooser.Choose(game, replay, _ => { }).CreateReplayGame(),
                ct);
            ct.ThrowIfCancellationRequested();
            return outcome.Ending switch
            {
                RecordEnding.Recorded => true,
                RecordEnding.NoSuchPlayer => false,
                _ => throw new CommandException(outcome.Problem),
            };
        }
        finally
        {
            _idleGames.Add(games);
        }
    }

    /// <summary>Reads the figures of a result from its recording.</summary>
    /// <exception cref="CommandException">The recording lacks observations or the end of the match.</exception>
    internal static void ReadFigures(JobResult result, string folder)
    {
        using var recording = RecordingReader.Open(Path.Combine(folder, RecordingName));
        if (recording.ReadGaps().FirstOrDefault() is { } gap)
        {
            throw new CommandException($"the recording of the job lacks {gap.Steps} observations from step {gap.FirstStep} on: {gap.Reason}");
        }

        result.End = recording.ReadEnd() ?? throw new CommandException("the recording of the job has no end: it was cut off");
        result.Observations = (ulong)recording.Description.Perspectives.Sum(recording.Count);
        result.Bytes = (ulong)recording.FileLength;
    }
}
