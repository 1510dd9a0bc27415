using System.Globalization;
using Google.Protobuf;
using SC2APIProtocol;
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
public sealed class MatchRecorder : IDisposable
{
    private static readonly TimeSpan ChunkPeriod = TimeSpan.FromTicks(RecordingWriter.ChunkNs / 100);

    // What was published before the stop may be in the hands of a busy thread pool.
    private static readonly TimeSpan InHand = TimeSpan.FromSeconds(1);

    // What a row takes beside its message.
    private const int RowOverhead = 100;

    private readonly Hub _hub;
    private readonly GapDetector _frames = new();
    private readonly RecorderOptions _options;
    private readonly Action<string> _told;
    private readonly Action<string> _failed;
    private readonly RecorderSubscription _subscription;
    private readonly StreamSink _sink;
    private readonly ByteBoundedChannel<Action<RecordingWriter, long>> _rows;
    private readonly TaskCompletionSource _complete = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _stop = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _figuresLock = new();
    private readonly Task _recording;
    private RecordingFigures _figures;
    private long _room;
    private long _missingRows;
    private long _leftOutRequests;
    private RecordingWriter? _writer;
    private bool _receivedAll;
    private bool _stalled;
    private volatile MatchEnd? _end;

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
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(file);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(told);
        ArgumentNullException.ThrowIfNull(failed);
        (_hub, _options, _told, _failed) = (hub, options, told, failed);

        // Of the first frames' sizes nothing is known yet.
        _room = options.MostLost / 2;
        _subscription = new RecorderSubscription(hub, options.QueueBytes, () => Interlocked.Read(ref _room));
        _rows = new(hub.Memory);
        _sink = new StreamSink(file, hub.Memory);
        hub.Events.Requested += OnRequested;
        hub.Events.Acted += OnActed;
        _recording = Task.Factory.StartNew(
            Run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>How it does; from any thread.</summary>
    public RecordingFigures Figures
    {
        get
        {
            lock (_figuresLock)
            {
                var figures = _figures with
                {
                    Bytes = _sink.Written,
                    MissingRows = Interlocked.Read(ref _missingRows),
                    LeftOutRequests = Interlocked.Read(ref _leftOutRequests),
                };
                if (figures.Problem is null)
                {
                    return figures;
                }

                // Nobody takes frames any more: what was published since is missing.
                var lost = _frames.End(NewestStep);
                return figures with
                {
                    Gaps = figures.Gaps + lost.Count,
                    MissingObservations = figures.MissingObservations + lost.Sum(gap => (long)gap.Steps),
                };
            }
        }
    }

    /// <summary>Records a row of the step log too; from any thread.</summary>
    public void Add(LoggedStep step) =>
        AddRow(step.Record, (writer, nowNs) => writer.Add(step, nowNs));

    /// <summary>
    /// The match has ended, and what else is to be recorded was added: completes when the file is closed, or the disk
    /// was given up; never fails.
    /// </summary>
    /// <param name="end">How it ended.</param>
    public async Task EndAsync(MatchEnd end)
    {
        ArgumentNullException.ThrowIfNull(end);
        await _hub.Events.FlushAsync();
        _end = end;
        _complete.TrySetResult();
        await _recording;
    }

    /// <summary>
    /// Ends the recording with what there is; <see cref="EndAsync"/> waits for the last observation first.
    /// </summary>
    public void Dispose()
    {
        _stop.TrySetResult();
        _recording.Wait();
    }

    private void OnRequested(AgentRequest request)
    {
        Interlocked.Add(ref _leftOutRequests, (long)request.Record.Omitted);
        AddRow(request.Record, (writer, _) => writer.Add(request));
    }

    private void OnActed(ActionReport action) =>
        AddRow(action.Record, (writer, _) => writer.Add(action));

    private void AddRow(IMessage record, Action<RecordingWriter, long> write)
    {
        if (!ParsedSize.IsReadable(record) || !_rows.TryWrite(write, record.CalculateSize() + RowOverhead, _options.RowBytes))
        {
            Interlocked.Increment(ref _missingRows);
        }
    }

    // A match that can wait does, until a chunk is the system's: what waits is lost with a process that is killed.
    private long MostWaiting => _hub.IsRealtime ? _options.MostWaiting : 1;

    // Whatever fails in here is the recording's end, and neither the match's nor the process's.
    private void Run()
    {
        try
        {
            try
            {
                Record();
                Finish();
            }
            finally
            {
                Release();
            }
        }
#pragma warning disable CA1031 // Whatever it is: the recording ends, and the match goes on.
        catch (Exception problem)
#pragma warning restore CA1031
        {
            Fail(problem.Message);
        }
    }

    private void Record()
    {
        while (_sink.Problem is null && !(_receivedAll && _complete.Task.IsCompleted))
        {
            if (!_receivedAll && _subscription.TryRead(out var delivery))
            {
                Take(delivery);
            }
            else if (_stop.Task.IsCompleted && (_receivedAll || Task.WaitAny([_subscription.Ready], InHand) < 0))
            {
                return;
            }
            else
            {
                Task.WaitAny([_receivedAll ? _complete.Task : _subscription.Ready, _stop.Task], ChunkPeriod);
            }

            // What the disk does not take is not to grow behind it.
            if (_writer is not null && _sink.WaitForRoom(MostWaiting, TimeSpan.Zero))
            {
                var now = MonotonicClock.NowNs;
                WriteRows(_writer, now);
                _writer.CloseChunkIfDue(now);
            }
        }
    }

    private void WriteRows(RecordingWriter writer, long nowNs)
    {
        while (_rows.TryRead(out var write, out var bytes))
        {
            _rows.Remove(bytes);
            write(writer, nowNs);
        }
    }

    private void Release()
    {
        _hub.Events.Requested -= OnRequested;
        _hub.Events.Acted -= OnActed;
        _rows.Complete();
        _subscription.Dispose();
        _sink.Close(TimeSpan.Zero);
        _writer?.Dispose();
    }

    private void Take(Delivery delivery)
    {
        if (_writer is null && _subscription.Match is { } match)
        {
            // The description stands before the first observation, by its time too.
            var now = MonotonicClock.NowNs;
            _writer = new RecordingWriter(
                _sink, match, delivery.Frame?.Header.RequestedNs ?? now, UnixNowNs() - now, OtherGameInfo(match),
                _options.MostLost);
        }

        if (delivery.Frame is { } frame)
        {
            try
            {
                Record(frame);
            }
            finally
            {
                delivery.Release();
            }
        }
        else if (delivery.Event?.Error is { Fatal: true, Code: StatusCode.ResourceExhausted })
        {
            // Only in real time, where nothing waits for the recorder: it goes on with the newest.
            _frames.Lose(string.Create(
                CultureInfo.InvariantCulture, $"more than {_options.QueueBytes >> 20} MiB waited to be recorded"));
            _receivedAll = !_subscription.Renew();
        }
        else
        {
            _end ??= delivery.Event?.MatchEnd;
            _receivedAll |= delivery.IsLast;
        }
    }

    // Known as long as the match is the newest one.
    private Dictionary<uint, ResponseGameInfo> OtherGameInfo(MatchDescription match) => match.Perspectives
        .Select(perspective => (
            Perspective: perspective,
            _hub.CurrentMatch.DescribeAsync(match.MatchId, perspective, CancellationToken.None).GetAwaiter().GetResult()
                .GameInfo))
        .Where(other => other.GameInfo is not null && !ReferenceEquals(other.GameInfo, match.GameInfo))
        .ToDictionary(other => other.Perspective, other => other.GameInfo);

    private void Record(ObservationFrame frame)
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
            Miss(gap, frame.Header.ObservedNs);
        }

        Interlocked.Exchange(ref _room, _writer!.RoomBehind(frame));
        _writer.Add(frame);
        _frames.Passed(frame.Header.Perspective, frame.Header.Step + 1);
        lock (_figuresLock)
        {
            _figures = _figures with { Observations = _figures.Observations + 1 };
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

    private void Miss(Gap gap, long nowNs)
    {
        _writer!.Add(gap, nowNs);
        lock (_figuresLock)
        {
            _figures = _figures with
            {
                Gaps = _figures.Gaps + 1,
                MissingObservations = _figures.MissingObservations + (long)gap.Steps,
            };
        }

        _frames.Passed(gap.Perspective, gap.FirstStep + gap.Steps);
        _told(string.Create(
            CultureInfo.InvariantCulture,
            $"steps {gap.FirstStep} to {gap.FirstStep + gap.Steps - 1} are missing in the recording: {gap.Reason}"));
    }

    private ulong? NewestStep(uint perspective)
    {
        var newest = _hub.Perspectives.NewestStep(perspective);
        return _hub.Perspectives.ObservedNs(perspective, newest) is null ? null : newest;
    }

    private void Finish()
    {
        if (_writer is not null && _sink.Problem is null)
        {
            var now = MonotonicClock.NowNs;
            foreach (var gap in _end is null ? [] : _frames.End(NewestStep))
            {
                Miss(gap, now);
            }

            WriteRows(_writer, now);
            _writer.Finish(_end, now);
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

    private void Fail(string problem)
    {
        lock (_figuresLock)
        {
            if (_figures.Problem is not null)
            {
                return;
            }

            _frames.Lose(problem);
            _frames.Expect(_subscription.Match?.Perspectives ?? []);
            _figures = _figures with { Problem = problem };
        }

        try
        {
            _failed(problem);
        }
        catch (Exception)
        {
            // The listener fails too: the figures still show the loss.
        }
    }

    private static string Seconds(TimeSpan time) =>
        string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.###} s");

    private static long UnixNowNs() => (DateTimeOffset.UtcNow - DateTimeOffset.UnixEpoch).Ticks * 100;
}
