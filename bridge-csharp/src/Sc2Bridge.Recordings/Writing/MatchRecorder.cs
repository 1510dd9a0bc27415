using System.Globalization;
using Google.Protobuf;
using Sc2Bridge.Recordings.Analysis;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>
/// Records a match: a subscriber like any other, which compresses on a thread of its own and has another hand the bytes
/// to the disk. A stepped match waits for it, but not for ever: what the disk did not take within
/// <see cref="RecorderOptions.DiskDeadline"/>, what came too fast in real time, and what came after a failure of the
/// recorder's own, is a gap that is reported and counted.
/// </summary>
public sealed class MatchRecorder : MatchFollower
{
    private readonly Hub _hub;
    private readonly GapDetector _frames = new();
    private readonly RecorderOptions _options;
    private readonly Action<string> _told;
    private readonly Action<string> _failed;
    private readonly StreamSink _sink;
    private long _room;
    private long _observations;
    private long _leftOutRequests;
    private RecordingWriter? _writer;
    private LiveAnalysis? _analysis;
    private bool _stalled;
    private volatile string? _problem;

    /// <summary>Subscribes and begins: to be made before the first frame is published.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="file">Where the recording goes, empty; taken over.</param>
    /// <param name="options">Its bounds.</param>
    /// <param name="told">Gets one line for people where steps are missing.</param>
    /// <param name="failed">
    /// Gets, once, why nothing more is recorded (disk full, or a defect of the recorder's); the match goes on, what was
    /// written can be read, and what is missing from then on is counted in <see cref="Figures"/>.
    /// </param>
    public MatchRecorder(Hub hub, Stream file, RecorderOptions options, Action<string> told, Action<string> failed)
        : base(
            hub,
            new SubscribeRequest { Policy = Policy.Every, Agent = "recorder", QueueBytes = (ulong)options.QueueBytes },
            options.RowBytes, "in the recording", told)
    {
        ArgumentNullException.ThrowIfNull(file);
        ArgumentNullException.ThrowIfNull(failed);
        (_hub, _options, _told, _failed) = (hub, options, told, failed);

        // Of the first frames' sizes nothing is known yet.
        _room = options.MostLost / 2;
        _sink = new StreamSink(file, hub.Memory);
        hub.Events.Requested += OnRequested;
        hub.Events.Acted += OnActed;
        Start(new SubscriberInfo(
            "recording", DeliverInline: true, Internal: true, EveryPerspective: true,
            PauseBytes: () => Interlocked.Read(ref _room)));
    }

    /// <summary>How it does; from any thread.</summary>
    public RecordingFigures Figures
    {
        get
        {
            // After a problem the recorder takes no frames: later frames are missing.
            var problem = _problem;
            var lost = problem is null ? [] : _frames.End(_hub.Perspectives.NewestObserved);
            return new RecordingFigures(
                _sink.Written, Interlocked.Read(ref _observations), Gaps + lost.Count,
                Missing + lost.Sum(gap => (long)gap.Steps), MissingRows, Interlocked.Read(ref _leftOutRequests), problem);
        }
    }

    /// <inheritdoc/>
    protected override bool CanContinue => _sink.Problem is null;

    // A match that can wait does, until a chunk is the system's: what waits is lost with a process that is killed.
    private long MostWaiting => _hub.IsRealtime ? _options.MostWaiting : 1;

    /// <summary>Records a row of the step log too; from any thread.</summary>
    public void Add(LoggedStep step) => Add(step.Record, (writer, nowNs) => writer.Add(step, nowNs));

    /// <summary>
    /// The match has ended, and what else is to be recorded was added: completes when the file is closed, or the disk
    /// was given up; never fails.
    /// </summary>
    /// <param name="end">How it ended.</param>
    public Task EndAsync(MatchEnd end) => FollowToAsync(end);

    /// <inheritdoc/>
    protected override void OnMatch(MatchDescription match, ObservationFrame? first)
    {
        // The description stands before the first observation, by its time too.
        var now = MonotonicClock.NowNs;
        var unixNow = (DateTimeOffset.UtcNow - DateTimeOffset.UnixEpoch).Ticks * 100;
        _writer = new RecordingWriter(
            _sink, match, first?.Header.RequestedNs ?? now, unixNow - now, _hub.CurrentMatch.OtherGameInfo(match.MatchId), _options.MostLost);
        _analysis = match.Data is { } data ? new LiveAnalysis(data, match, _told) : null;
    }

    /// <inheritdoc/>
    protected override void OnFrame(ObservationFrame frame, in Delivery delivery)
    {
        if (!HasRoom())
        {
            return;
        }

        if (frame.Observation.Length > McapLimits.Message)
        {
            _frames.Lose($"an observation of {frame.Observation.Length} bytes is longer than the {McapLimits.Message} that readers take");
            _frames.Expect([frame.Header.Perspective]);
            return;
        }

        if (_frames.Before(frame.Header, frame.Jump is not null) is { } gap)
        {
            Record(gap, frame.Header.ObservedNs);
        }

        Interlocked.Exchange(ref _room, _writer!.RoomBehind(frame));
        _writer.Add(frame);
        _analysis?.Add(frame.Header.Perspective, frame.Observation);
        _frames.Passed(frame.Header.Perspective, frame.Header.Step + 1);
        Interlocked.Increment(ref _observations);
    }

    /// <inheritdoc/>
    protected override void OnTick()
    {
        // The bytes that wait for the disk are bounded.
        if (_sink.WaitForRoom(MostWaiting, TimeSpan.Zero))
        {
            WriteRows();
            _writer!.CloseChunkIfDue(MonotonicClock.NowNs);
        }
    }

    /// <inheritdoc/>
    protected override void OnFramesLost(string? reason) => _frames.Lose(reason ?? string.Create(
        CultureInfo.InvariantCulture, $"more than {_options.QueueBytes >> 20} MiB waited to be recorded"));

    /// <inheritdoc/>
    protected override void OnEnd()
    {
        if (_writer is not null && _sink.Problem is null)
        {
            var now = MonotonicClock.NowNs;
            foreach (var gap in MatchEnd is null ? [] : _frames.End(_hub.Perspectives.NewestObserved))
            {
                Record(gap, now);
            }

            WriteRows();
            _writer.Finish(MatchEnd, now, _analysis?.Finish());
        }

        if (!_sink.Close(_options.EndDeadline))
        {
            Fail($"the disk took nothing for {Seconds(_options.EndDeadline)}");
        }
        else if (_sink.Problem is { } problem)
        {
            Fail(problem);
        }
    }

    /// <inheritdoc/>
    protected override void Free()
    {
        _hub.Events.Requested -= OnRequested;
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

    private bool HasRoom()
    {
        if (_sink.WaitForRoom(MostWaiting, _stalled ? TimeSpan.Zero : _options.DiskDeadline))
        {
            _stalled = false;
            return true;
        }

        if (!_stalled)
        {
            _stalled = true;
            var reason = $"the disk made no room for {Seconds(_options.DiskDeadline)}";
            _frames.Lose(reason);
            _told($"{reason}: the match goes on, and is not recorded until it does");
        }

        return false;
    }

    private void Record(Gap gap, long nowNs)
    {
        _writer!.Add(gap, nowNs);
        _frames.Passed(gap.Perspective, gap.FirstStep + gap.Steps);
        ReportGap(gap);
    }

    private void Fail(string problem)
    {
        if (_problem is not null)
        {
            return;
        }

        _frames.Lose(problem);
        _frames.Expect(Match?.Perspectives ?? []);
        _problem = problem;
        try
        {
            _failed(problem);
        }
        catch (Exception)
        {
            // The listener fails too: the figures still show the loss.
        }
    }
}
