using Microsoft.Extensions.Logging;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Cli;

/// <summary>What one match leaves behind: its logs, its recording, and its publication at the broker.</summary>
internal sealed class MatchOutput : IDisposable
{
    private readonly SessionOptions _options;
    private readonly Hub _hub;
    private readonly FailedWrites _failedWrites;
    private readonly LogFile _steps;
    private readonly LogFile _agents;
    private readonly MatchRecording? _recording;
    private readonly SidePath _stepRows;
    private readonly SidePath _codecs;
    private readonly SidePath _agentRows;

    /// <summary>Makes its files, so that one that cannot be written is reported before a game is started.</summary>
    /// <param name="options">The session's, with this match's folder and recording.</param>
    /// <param name="hub">Where the match is published.</param>
    /// <param name="health">Gets what the files lose.</param>
    /// <param name="say">Gets lines for people.</param>
    /// <param name="failedWrites">Gets the names of files that cannot be written any more.</param>
    /// <param name="compression">Shared with the subscribers.</param>
    /// <param name="logger">Gets what goes wrong.</param>
    /// <exception cref="CommandException">A file cannot be made.</exception>
    internal MatchOutput(
        SessionOptions options, Hub hub, HealthOfBridge health, Action<string> say, FailedWrites failedWrites,
        SharedCompression compression, ILogger logger)
    {
        (_options, _hub, _failedWrites) = (options, hub, failedWrites);
        _stepRows = new SidePath("steps.csv", logger, problem => failedWrites.Add("steps.csv", problem));
        _agentRows = new SidePath("agents.csv", logger, problem => failedWrites.Add("agents.csv", problem));
        _codecs = new SidePath("codec log", logger);
        _steps = LogFile.Open(options.OutputFolder, "steps.csv", isPartial: true);
        _agents = LogFile.Open(options.OutputFolder, "agents.csv", isPartial: true);
        _recording = MatchRecording.Start(
            hub, options.RecordingFile, say, problem => failedWrites.Add(options.RecordingFile!, problem));
        health.Watch("steps.csv", () => (_stepRows.Lost, _stepRows.Problem));
        health.Watch("agents.csv", () => (_agentRows.Lost, _agentRows.Problem));
        health.Watch(
            "the recording",
            () => (Recorder?.Figures is { Problem: null } figures ? figures.MissingObservations + figures.MissingRows : 0, null));
        health.Ask(
            "the recording", () => Recorder?.Figures.Problem is { } problem ? $"the recording has ended ({problem})" : null);
        if (options.Publish is { } publish)
        {
            Publisher = new MatchPublisher(
                hub, publish, Path.Combine(options.OutputFolder, "publish.spool"), compression,
                new SidePath("publishing", logger), say);
            health.Ask("publishing", () => Publisher.Problem);
        }
    }

    /// <summary>Gets what the summary needs.</summary>
    internal MatchFigures Figures { get; } = new();

    /// <summary>What publishes the match; null if nothing does.</summary>
    internal MatchPublisher? Publisher { get; }

    /// <summary>What records the match; null if nothing does.</summary>
    internal MatchRecorder? Recorder => _recording?.Recorder;

    /// <summary>For machines; null if nothing was recorded.</summary>
    internal RecordingReport? Recorded => _recording is null ? null : new RecordingReport(_recording.File, _recording.Recorder.Figures);

    /// <summary>What lost something, and may have to be reported.</summary>
    internal IEnumerable<SidePath> Losses => [_stepRows, _codecs, _agentRows];

    /// <summary>Begins to log what agents report. The caller disposes it.</summary>
    internal AgentLog LogAgents() => new(_hub, _agents, Figures, _agentRows);

    /// <summary>Begins to log steps. The caller disposes it.</summary>
    internal StepLog LogSteps() => new(
        _hub, _steps, Figures, _options.CodecLog, FrameProbes.All(), _stepRows, _codecs,
        Recorder is null && Publisher is null ? null : Log);

    /// <summary>Closes the files. A complete file gets its name. An empty recording is deleted.</summary>
    public void Dispose()
    {
        Publisher?.Dispose();
        Tell(_options.RecordingFile!, _recording?.Publish());
        Tell("steps.csv", _steps.Publish());
        Tell("agents.csv", _agents.Publish());

        void Tell(string file, string? problem)
        {
            if (problem is not null)
            {
                _failedWrites.Add(file, problem);
            }
        }
    }

    private void Log(LoggedStep step)
    {
        Recorder?.Add(step);
        Publisher?.Add(step);
    }
}
