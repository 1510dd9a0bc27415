using Microsoft.Extensions.Logging;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Cli;

/// <summary>The output of one match: its logs, its recording, and its publication at the broker.</summary>
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

    /// <summary>Creates the files, so that a file that cannot be written is reported before a game starts.</summary>
    /// <param name="options">The options of the session, with the folder and the recording of this match.</param>
    /// <param name="hub">The hub that passes on the match.</param>
    /// <param name="health">Reports losses of the output.</param>
    /// <param name="print">Prints a line.</param>
    /// <param name="failedWrites">Collects the files that cannot be written.</param>
    /// <param name="compression">The compression that the subscribers share.</param>
    /// <param name="logger">Logs failures.</param>
    /// <exception cref="CommandException">A file cannot be created.</exception>
    internal MatchOutput(
        SessionOptions options, Hub hub, HealthOfBridge health, Action<string> print, FailedWrites failedWrites,
        SharedCompression compression, ILogger logger)
    {
        (_options, _hub, _failedWrites) = (options, hub, failedWrites);
        _stepRows = new SidePath("steps.csv", logger, problem => failedWrites.Add("steps.csv", problem));
        _agentRows = new SidePath("agents.csv", logger, problem => failedWrites.Add("agents.csv", problem));
        _codecs = new SidePath("codec log", logger);
        _steps = LogFile.Open(options.OutputFolder, "steps.csv", isPartial: true);
        _agents = LogFile.Open(options.OutputFolder, "agents.csv", isPartial: true);
        _recording = MatchRecording.Start(
            hub, options.RecordingFile, print, problem => failedWrites.Add(options.RecordingFile!, problem));
        health.WatchOutput("steps.csv", () => (_stepRows.Lost, _stepRows.Problem));
        health.WatchOutput("agents.csv", () => (_agentRows.Lost, _agentRows.Problem));
        health.WatchOutput(
            "the recording",
            () => (Recorder?.Figures is { Problem: null } figures ? figures.MissingObservations + figures.MissingRows : 0, null));
        health.AddCheck(
            "the recording", () => Recorder?.Figures.Problem is { } problem ? $"the recording has ended ({problem})" : null);
        if (options.Publish is { } publish)
        {
            Publisher = new MatchPublisher(
                hub, publish, Path.Combine(options.OutputFolder, "publish.spool"), compression,
                new SidePath("publishing", logger), print);
            health.AddCheck("publishing", () => Publisher.Problem);
        }
    }

    /// <summary>Collects the figures for the summary.</summary>
    internal MatchFigures Figures { get; } = new();

    /// <summary>Publishes the match; null if it is not published.</summary>
    internal MatchPublisher? Publisher { get; }

    /// <summary>Records the match; null if it is not recorded.</summary>
    internal MatchRecorder? Recorder => _recording?.Recorder;

    /// <summary>The recording for the JSON report; null if nothing was recorded.</summary>
    internal RecordingReport? Recorded => _recording is null ? null : new RecordingReport(_recording.File, _recording.Recorder.Figures);

    /// <summary>The side paths that write the logs. Each counts the rows or measurements that it lost.</summary>
    internal IEnumerable<SidePath> LogSidePaths => [_stepRows, _codecs, _agentRows];

    /// <summary>Begins to log the acknowledgements of agents. The caller disposes the log.</summary>
    internal AgentLog LogAgents() => new(_hub, _agents, Figures, _agentRows);

    /// <summary>Begins to log steps. The caller disposes the log.</summary>
    internal StepLog LogSteps() => new(
        _hub, _steps, Figures, _options.CodecLog, FrameProbes.All(), _stepRows, _codecs,
        Recorder is null && Publisher is null ? null : AddStep);

    /// <summary>Closes the files. A complete file gets its final name. An empty recording is deleted.</summary>
    public void Dispose()
    {
        Publisher?.Dispose();
        ReportProblem(_options.RecordingFile!, _recording?.Commit());
        ReportProblem("steps.csv", _steps.Commit());
        ReportProblem("agents.csv", _agents.Commit());

        void ReportProblem(string file, string? problem)
        {
            if (problem is not null)
            {
                _failedWrites.Add(file, problem);
            }
        }
    }

    private void AddStep(LoggedStep step)
    {
        Recorder?.Add(step);
        Publisher?.Add(step);
    }
}
