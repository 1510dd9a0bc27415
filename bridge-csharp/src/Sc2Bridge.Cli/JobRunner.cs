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
/// Does jobs: a replay here, in a game that is kept for the next one; a match as <c>sc2bridge match</c> in a process of
/// its own, with its agents.
/// </summary>
/// <param name="store">Where results go.</param>
/// <param name="worker">Who it is.</param>
/// <param name="jobTime">How long a job may take.</param>
/// <param name="game">The game to play on.</param>
/// <param name="ofMatches">Further words for each match.</param>
internal sealed class JobRunner(
    ResultStore store, string worker, TimeSpan jobTime, GameOptions game, IReadOnlyList<string> ofMatches) : IAsyncDisposable
{
    private const string RecordingName = "match.mcap";

    private const int MostUploads = 3;

    private readonly ConcurrentBag<Dictionary<ReplayKind, ReplayGame>> _idle = [];

    /// <summary>How long the runner waits before it publishes a result again.</summary>
    internal TimeSpan UploadPause { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Does a job, unless its result is there.</summary>
    /// <param name="job">What to do.</param>
    /// <param name="failures">How often it has failed.</param>
    /// <param name="stop">Stops it; what it made goes.</param>
    /// <returns>Null where its result is there, whole; else why it failed, as a line.</returns>
    /// <exception cref="OperationCanceledException">It was stopped.</exception>
    /// <exception cref="ResultStoreException">The store cannot be used, now or at all.</exception>
    internal async Task<string?> RunAsync(Job job, int failures, CancellationToken stop)
    {
        var begin = Stopwatch.GetTimestamp();
        string? folder = null;
        using var time = CancellationTokenSource.CreateLinkedTokenSource(stop);
        try
        {
            // The job's time is not the store's, whose requests have times of their own.
            if (await store.HasAsync(job.Id, stop))
            {
                // Who made it may have been killed before this.
                await store.ClearAsync(job.Id, stop);
                return null;
            }

            folder = await store.BeginAsync(job.Id, stop);
            time.CancelAfter(jobTime);
            var result = new JobResult { Job = job, Worker = worker, Failures = (uint)failures };
            if (job.WhatCase == Job.WhatOneofCase.Match)
            {
                await PlayAsync(job.Match, folder, time.Token);
            }

            if (job.WhatCase == Job.WhatOneofCase.Match || await RecordAsync(job.Record, folder, time.Token))
            {
                Read(result, folder);
            }

            result.Seconds = Math.Round(Stopwatch.GetElapsedTime(begin).TotalSeconds, 3);
            result.CreatedMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
            return await PublishAsync(folder, result, stop);
        }
        catch (Exception error) when (error is OperationCanceledException
            || (error is not ResultStoreException && Failures.IsForAPerson(error)))
        {
            stop.ThrowIfCancellationRequested();

            // Another worker may have made its result meanwhile.
            return await store.HasAsync(job.Id, stop) ? null
                : error is not OperationCanceledException ? error.Message
                : string.Create(CultureInfo.InvariantCulture, $"it took longer than {jobTime.TotalSeconds:0} s (--job-time)");
        }
        finally
        {
            if (folder is not null)
            {
                await store.EndAsync(folder);
            }
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (var running in _idle.SelectMany(games => games.Values))
        {
            await running.DisposeAsync();
        }
    }

    /// <summary>Publishes a result. A store that fails then, after the job was done, counts as a failure of the job: else
    /// the job could be done again for ever.</summary>
    /// <returns>Null if the result is there; else why not.</returns>
    internal async Task<string?> PublishAsync(string folder, JobResult result, CancellationToken stop)
    {
        for (var upload = 1; ; upload++)
        {
            try
            {
                await store.PublishAsync(folder, result, stop);
                return null;
            }
            catch (ResultStoreException refused) when (upload == MostUploads)
            {
                return refused.Message;
            }
            catch (ResultStoreException)
            {
                await Task.Delay(UploadPause, stop);
            }
        }
    }

    // Whoever hands in jobs chooses a match, and no program: each value stands in the word of its option.
    private async Task PlayAsync(MatchJob match, string folder, CancellationToken ct)
    {
        List<string> words = [.. OwnProgram.Words, "match", "--no-config"];
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

        // Where it runs is what it writes: its summary names files as they stand beside it.
        var start = ChildEnvironment.Start(
            ChildKind.Match, words[0], [.. words.Skip(1), "--quiet", "--out=.", "--grpc=127.0.0.1:0", "--web=127.0.0.1:0", .. ofMatches]);
        start.WorkingDirectory = folder;
        start.Environment["PYTHONPATH"] = PythonInterpreter.PathFromHere;
        await ProcessRun.ToEndAsync(start, ct);
    }

    // False where there is nothing to record.
    private async Task<bool> RecordAsync(RecordJob record, string folder, CancellationToken ct)
    {
        var settings = new ReplaySettings { StepSize = Math.Max(1, record.StepSize) };
        settings.Validate();
        var pass = new RecordPass(record.Replay, record.Observe, Path.Combine(folder, RecordingName), !record.IfPlayed);
        if (!_idle.TryTake(out var games))
        {
            games = [];
        }

        try
        {
            var outcome = await new ReplayRecorder(pass, settings, publish: null, NullLoggerFactory.Instance).RunAsync(
                replay => games.TryGetValue(replay.Head.Kind, out var running)
                    ? running
                    : games[replay.Head.Kind] = GameChooser.Choose(game, replay, _ => { }).ForReplays(),
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
            _idle.Add(games);
        }
    }

    /// <summary>Takes a result's figures from its recording.</summary>
    /// <exception cref="CommandException">The recording lacks observations or the match's end.</exception>
    internal static void Read(JobResult result, string folder)
    {
        using var recording = RecordingReader.Open(Path.Combine(folder, RecordingName));
        if (recording.ReadGaps().FirstOrDefault() is { } gap)
        {
            throw new CommandException($"its recording lacks {gap.Steps} observations from step {gap.FirstStep} on: {gap.Reason}");
        }

        result.End = recording.ReadEnd() ?? throw new CommandException("its recording has no end");
        result.Observations = (ulong)recording.Description.Perspectives.Sum(recording.Count);
        result.Bytes = (ulong)recording.FileLength;
    }
}
