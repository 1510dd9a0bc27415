using System.Globalization;
using Google.Protobuf;
using Sc2Bridge.Recordings.Analysis;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>
/// Records a match. The recorder is a subscriber that compresses on one thread and writes to the disk on another thread. A stepped match
/// waits for the recorder, at most for <see cref="RecorderOptions.DiskDeadline"/>. Frames are missing if the disk takes longer, if a match
/// in real time is too fast, or after the recorder has failed. These gaps are reported and counted.
/// </summary>
public sealed class MatchRecorder : MatchFollower
{
    private readonly Hub _hub;
    private readonly GapDetector _gapDetector = new();
    private readonly RecorderOptions _options;
    private readonly Action<string> _warn;
    private readonly Action<string> _onFailed;
    private readonly StreamSink _sink;
    private long _pauseBytes;
    private long _observations;
    private long _leftOutRequests;
    private RecordingWriter? _writer;
    private LiveAnalysis? _analysis;
    private bool _isDiskStalled;
    private volatile string? _problem;

    /// <summary>Subscribes and starts. Create the recorder before the first frame is published.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="file">The empty file. The recorder closes it.</param>
    /// <param name="options">The limits.</param>
    /// <param name="told">Called with one line for the user when steps are missing.</param>
    /// <param name="failed">
    /// Called once if recording stops (disk full, or an error in the recorder), with the reason. The match continues, and the file can be read
    /// up to this point. <see cref="Figures"/> counts the observations and rows that are missing afterwards.
    /// </param>
    public MatchRecorder(Hub hub, Stream file, RecorderOptions options, Action<string> told, Action<string> failed)
        : base(
            hub,
            new SubscribeRequest { Policy = Policy.Every, Agent = "recorder", QueueBytes = (ulong)options.QueueBytes },
            options.RowBytes, "in the recording", told)
    {
        ArgumentNullException.ThrowIfNull(file);
        ArgumentNullException.ThrowIfNull(failed);
        (_hub, _options, _warn, _onFailed) = (hub, options, told, failed);

        // The size of the first frames is unknown, so at first the queue gets half of the limit.
        _pauseBytes = options.MostLost / 2;
        _sink = new StreamSink(file, hub.Memory);
        hub.Events.RequestAnswered += OnRequested;
        hub.Events.Acted += OnActed;
        Start(new SubscriberInfo(
            "recording", DeliverInline: true, Internal: true, EveryPerspective: true,
            PauseBytes: () => Interlocked.Read(ref _pauseBytes)));
    }

    /// <summary>The current figures. Thread-safe.</summary>
    public RecordingFigures Figures
    {
        get
        {
            // After a problem, the recorder takes no frames, so all later frames are missing.
            var problem = _problem;
            var lost = problem is null ? [] : _gapDetector.GapsAtEnd(_hub.Perspectives.NewestObserved);
            return new RecordingFigures(
                _sink.WrittenBytes, Interlocked.Read(ref _observations), Gaps + lost.Count,
                Missing + lost.Sum(gap => (long)gap.Steps), MissingRows, Interlocked.Read(ref _leftOutRequests), problem);
        }
    }

    /// <inheritdoc/>
    protected override bool CanContinue => _sink.Problem is null;

    // A match that can wait continues only when each closed chunk is written, because queued bytes are lost if the process is killed.
    private long MaxWaitingBytes => _hub.IsRealtime ? _options.MostWaiting : 1;

    /// <summary>Records a row of the step log. Thread-safe.</summary>
    public void Add(LoggedStep step) => Add(step.Record, (writer, nowNs) => writer.Add(step, nowNs));

    /// <summary>
    /// Ends the recording of a match. Add all other rows first. Completes when the file is closed, or when the disk has accepted no data for
    /// <see cref="RecorderOptions.EndDeadline"/>. Never throws.
    /// </summary>
    /// <param name="end">How the match ended.</param>
    public Task EndAsync(MatchEnd end) => FollowToAsync(end);

    /// <inheritdoc/>
    protected override void OnMatch(MatchDescription match, ObservationFrame? first)
    {
        // The description precedes the first observation, so it must not have a later time than that observation.
        var now = MonotonicClock.NowNs;
        var unixNow = (DateTimeOffset.UtcNow - DateTimeOffset.UnixEpoch).Ticks * 100;
        _writer = new RecordingWriter(
            _sink, match, first?.Header.RequestedNs ?? now, unixNow - now, _hub.CurrentMatch.OtherGameInfo(match.MatchId), _options.MostLost);
        _analysis = match.Data is { } data ? new LiveAnalysis(data, match, _warn) : null;
    }

    /// <inheritdoc/>
    protected override void OnFrame(ObservationFrame frame, in Delivery delivery)
    {
        if (!WaitForDisk())
        {
            return;
        }

        if (frame.Observation.Length > McapLimits.Message)
        {
            _gapDetector.MarkLost($"an observation of {frame.Observation.Length} bytes is longer than the {McapLimits.Message} that readers accept");
            _gapDetector.ExpectPerspectives([frame.Header.Perspective]);
            return;
        }

        if (_gapDetector.GapBefore(frame.Header, frame.Jump is not null) is { } gap)
        {
            Record(gap, frame.Header.ObservedNs);
        }

        Interlocked.Exchange(ref _pauseBytes, _writer!.QueueBytesAfter(frame));
        _writer.Add(frame);
        _analysis?.Add(frame.Header.Perspective, frame.Observation);
        _gapDetector.SetNextStep(frame.Header.Perspective, frame.Header.Step + 1);
        Interlocked.Increment(ref _observations);
    }

    /// <inheritdoc/>
    protected override void OnTick()
    {
        // If too many bytes wait for the disk, the rows wait too.
        if (_sink.WaitForRoom(MaxWaitingBytes, TimeSpan.Zero))
        {
            WriteRows();
            _writer!.CloseChunkIfDue(MonotonicClock.NowNs);
        }
    }

    /// <inheritdoc/>
    protected override void OnFramesLost(string? reason) => _gapDetector.MarkLost(reason ?? string.Create(
        CultureInfo.InvariantCulture, $"more than {_options.QueueBytes >> 20} MiB waited to be recorded"));

    /// <inheritdoc/>
    protected override void OnEnd()
    {
        if (_writer is not null && _sink.Problem is null)
        {
            var now = MonotonicClock.NowNs;
            foreach (var gap in MatchEnd is null ? [] : _gapDetector.GapsAtEnd(_hub.Perspectives.NewestObserved))
            {
                Record(gap, now);
            }

            WriteRows();
            _writer.Finish(MatchEnd, now, _analysis?.Finish());
        }

        if (!_sink.Close(_options.EndDeadline))
        {
            Fail($"the disk accepted no data for {Seconds(_options.EndDeadline)}");
        }
        else if (_sink.Problem is { } problem)
        {
            Fail(problem);
        }
    }

    /// <inheritdoc/>
    protected override void Free()
    {
        _hub.Events.RequestAnswered -= OnRequested;
        _hub.Events.Acted -= OnActed;
        _sink.Close(TimeSpan.Zero);
        _writer?.Dispose();
    }

    /// <inheritdoc/>
    protected override void OnFailed(Exception failure)
    {
        ArgumentNullException.ThrowIfNull(failure);
        Fail(failure.Message);
    }

    private static string Seconds(TimeSpan time) =>
        string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.###} s");

    private void OnRequested(AgentRequest request)
    {
        Interlocked.Add(ref _leftOutRequests, (long)request.Record.Omitted);
        Add(request.Record, (writer, _) => writer.Add(request));
    }

    private void OnActed(ActionReport action) => Add(action.Record, (writer, _) =>
    {
        writer.Add(action);
        _analysis?.Add(action.Record);
    });

    private void Add(IMessage record, Action<RecordingWriter, long> write)
    {
        if (ParsedSize.IsReadable(record))
        {
            AddRow(record, () => write(_writer!, MonotonicClock.NowNs));
        }
        else
        {
            CountMissingRow();
        }
    }

    private bool WaitForDisk()
    {
        if (_sink.WaitForRoom(MaxWaitingBytes, _isDiskStalled ? TimeSpan.Zero : _options.DiskDeadline))
        {
            _isDiskStalled = false;
            return true;
        }

        if (!_isDiskStalled)
        {
            _isDiskStalled = true;
            var reason = $"the disk made no room for {Seconds(_options.DiskDeadline)}";
            _gapDetector.MarkLost(reason);
            _warn($"{reason}: the match goes on, but is not recorded until the disk has room");
        }

        return false;
    }

    private void Record(Gap gap, long nowNs)
    {
        _writer!.Add(gap, nowNs);
        _gapDetector.SetNextStep(gap.Perspective, gap.FirstStep + gap.Steps);
        ReportGap(gap);
    }

    private void Fail(string problem)
    {
        if (_problem is not null)
        {
            return;
        }

        _gapDetector.MarkLost(problem);
        _gapDetector.ExpectPerspectives(Match?.Perspectives ?? []);
        _problem = problem;
        try
        {
            _onFailed(problem);
        }
        catch (Exception)
        {
            // The callback has failed too. The figures still show the loss.
        }
    }
}
