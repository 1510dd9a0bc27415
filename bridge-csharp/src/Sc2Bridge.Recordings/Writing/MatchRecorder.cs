using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>
/// Records a match: a subscriber like any other, which compresses on a thread of its own and has another hand the bytes
/// to the disk. A stepped match waits for it, but not for ever: what the disk did not take within
/// <see cref="RecorderOptions.DiskDeadline"/>, and what came too fast in real time, is a gap that is told and counted.
/// </summary>
public sealed class MatchRecorder : IDisposable
{
    private static readonly TimeSpan ChunkPeriod = TimeSpan.FromTicks(RecordingWriter.ChunkNs / 100);

    private readonly Hub _hub;
    private readonly SignalledSubscription _subscription;
    private readonly GapDetector _frames = new();
    private readonly RecorderOptions _options;
    private readonly Action<string> _told;
    private readonly Action<string> _failed;
    private readonly StreamSink _sink;
    private readonly RowQueue _rows;
    private readonly WakeUp _wake = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _figuresLock = new();
    private RecordingFigures _figures;
    private RecordingWriter? _writer;
    private bool _heardAll;
    private bool _stalled;
    private volatile MatchEnd? _end;
    private volatile bool _complete;
    private volatile bool _stop;

    /// <summary>Subscribes and begins: to be made before the first frame is published.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="file">Where the recording goes, empty; taken over.</param>
    /// <param name="options">Its bounds.</param>
    /// <param name="told">Gets one line for people where steps are missing.</param>
    /// <param name="failed">
    /// Gets, once, why the file cannot be written any more (disk full); the match can go on, and what was written can
    /// be read.
    /// </param>
    public MatchRecorder(Hub hub, Stream file, RecorderOptions options, Action<string> told, Action<string> failed)
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(file);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(told);
        ArgumentNullException.ThrowIfNull(failed);
        (_hub, _options, _told, _failed) = (hub, options, told, failed);
        _rows = new RowQueue(options.RowBytes);
        _subscription = new SignalledSubscription(hub, options.QueueBytes, _wake.Set);
        _sink = new StreamSink(file, options.MostWaiting);
        hub.News.Requested += OnRequested;
        hub.News.Acted += OnActed;
        new Thread(Run) { IsBackground = true, Name = "recorder" }.Start();
    }

    /// <summary>How it does; from any thread.</summary>
    public RecordingFigures Figures
    {
        get
        {
            lock (_figuresLock)
            {
                return _figures with { Bytes = _sink.Written, MissingRows = _rows.Lost };
            }
        }
    }

    /// <summary>Records a row of the step log too; from any thread.</summary>
    public void Add(LoggedStep step) => _rows.Add(step);

    /// <summary>
    /// The match has ended, and what else is to be recorded was added: completes when the file is closed, or the disk
    /// was given up.
    /// </summary>
    /// <param name="end">How it ended.</param>
    public Task EndAsync(MatchEnd end)
    {
        ArgumentNullException.ThrowIfNull(end);
        _end = end;
        _complete = true;
        _wake.Set();
        return _ended.Task;
    }

    /// <summary>
    /// Ends the recording with what there is; <see cref="EndAsync"/> waits for the last observation first.
    /// </summary>
    public void Dispose()
    {
        _stop = true;
        if (!_ended.Task.IsCompleted)
        {
            _wake.Set();
            _ended.Task.Wait();
        }
    }

    private void OnRequested(AgentRequest request)
    {
        _rows.Add(request);
        _wake.Set();
    }

    private void OnActed(ActionReport deed)
    {
        _rows.Add(deed);
        _wake.Set();
    }

    private void Run()
    {
        try
        {
            while (_sink.Problem is null && !(_heardAll && _complete) && Turn())
            {
            }

            Finish();
        }
#pragma warning disable CA1031 // Whatever it is: the recording ends, and the match goes on.
        catch (Exception problem)
#pragma warning restore CA1031
        {
            Fail(problem.Message);
        }
        finally
        {
            _hub.News.Requested -= OnRequested;
            _hub.News.Acted -= OnActed;
            _subscription.Dispose();
            _rows.Close();
            _sink.Close(TimeSpan.Zero);
            _writer?.Dispose();
            _ended.TrySetResult();
        }
    }

    // False where it is to stop, and has nothing to read.
    private bool Turn()
    {
        if (!_heardAll && _subscription.TryRead(out var delivery))
        {
            Take(delivery);
        }
        else if (_stop)
        {
            return false;
        }
        else
        {
            _wake.Wait(ChunkPeriod);
        }

        // What the disk does not take is not to grow behind it.
        if (_writer is not null && _sink.WaitForRoom(TimeSpan.Zero))
        {
            var now = MonotonicClock.NowNs;
            _rows.WriteTo(_writer, now);
            _writer.CloseChunkIfDue(now);
        }

        return true;
    }

    private void Take(Delivery delivery)
    {
        if (_writer is null && _subscription.Match is { } match)
        {
            // The description stands before the first observation, by its time too.
            var now = MonotonicClock.NowNs;
            _writer = new RecordingWriter(
                _sink, match, delivery.Frame?.Header.RequestedNs ?? now, UnixNowNs() - now, OtherGameInfo(match));
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
            _frames.Lost = string.Create(
                CultureInfo.InvariantCulture, $"more than {_options.QueueBytes >> 20} MiB waited to be recorded");
            _heardAll = !_subscription.Renew();
        }
        else
        {
            _end ??= delivery.Event?.MatchEnd;
            _heardAll |= delivery.IsLast;
        }
    }

    // Known as long as the match is the newest one.
    private Dictionary<uint, ResponseGameInfo> OtherGameInfo(MatchDescription match) => match.Perspectives
        .Select(perspective => (
            Perspective: perspective,
            _hub.Desk.DescribeAsync(match.MatchId, perspective, CancellationToken.None).GetAwaiter().GetResult()
                .GameInfo))
        .Where(other => other.GameInfo is not null && !ReferenceEquals(other.GameInfo, match.GameInfo))
        .ToDictionary(other => other.Perspective, other => other.GameInfo);

    private void Record(ObservationFrame frame)
    {
        if (!HasRoom())
        {
            return;
        }

        if (_frames.Come(frame.Header, frame.Jump is not null) is { } gap)
        {
            Miss(gap, frame.Header.ObservedNs);
        }

        _writer!.Add(frame);
        lock (_figuresLock)
        {
            _figures = _figures with { Observations = _figures.Observations + 1 };
        }
    }

    private bool HasRoom()
    {
        if (_sink.WaitForRoom(_stalled ? TimeSpan.Zero : _options.DiskDeadline))
        {
            _stalled = false;
            return true;
        }

        if (!_stalled)
        {
            _stalled = true;
            _frames.Lost = $"the disk made no room for {Seconds(_options.DiskDeadline)}";
            _told($"{_frames.Lost}: the match goes on, and is not recorded until it does");
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

        _told(string.Create(
            CultureInfo.InvariantCulture,
            $"steps {gap.FirstStep} to {gap.FirstStep + gap.Steps - 1} are missing in the recording: {gap.Reason}"));
    }

    private void Finish()
    {
        if (_writer is not null && _sink.Problem is null)
        {
            var now = MonotonicClock.NowNs;
            foreach (var gap in _end is null ? [] : _frames.End(_hub.Perspectives.NewestStep))
            {
                Miss(gap, now);
            }

            _rows.WriteTo(_writer, now);
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
            _figures = _figures with { Problem = problem };
        }

        _failed(problem);
    }

    private static string Seconds(TimeSpan time) =>
        string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.###} s");

    private static long UnixNowNs() => (DateTimeOffset.UtcNow - DateTimeOffset.UnixEpoch).Ticks * 100;
}
