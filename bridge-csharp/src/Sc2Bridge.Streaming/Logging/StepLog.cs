using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Writes a row of <c>steps.csv</c> for every step of every perspective. The log is a subscriber with its own threads.
/// Measuring delays no delivery. A stepped match waits for measurements only with <see cref="CodecLog.Full"/>. In real time,
/// that mode measures nothing while the log is behind. A step that the log did not receive has a row of empty cells.
/// </summary>
public sealed class StepLog : IDisposable
{
    private const int FramesBehindInRealTime = 8;

    // The most empty rows for missing steps. Without a limit, a recording with a huge step number would fill the disk.
    private const long MaxMissingRows = 65_536;

    // How often to check whether waiting rows are ready, if nothing else happens.
    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(20);

    // How long a stepped match waits for a disk that accepts no rows.
    private static readonly TimeSpan DiskDeadline = TimeSpan.FromSeconds(5);

    private readonly Hub _hub;
    private readonly LogWriter _writer;
    private readonly SidePath _path;
    private readonly CodecLog _mode;
    private readonly CodecProbe _probe;
    private readonly CodecSampler? _sampler;
    private readonly PendingRows? _pendingRows;
    private readonly Action<LoggedStep>? _onRowWritten;
    private readonly MatchFigures _figures;
    private readonly FollowerSubscription _frames;
    private readonly TaskCompletionSource _stop = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _finish = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Dictionary<uint, ulong> _nextSteps = [];
    private long _emptyRows;
    private bool _realtime;

    /// <summary>Subscribes and starts. Create it before the first frame is published.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="steps">The output for the rows; flushed after each row. The caller disposes it.</param>
    /// <param name="figures">Collects the figures of the summary.</param>
    /// <param name="mode">What is measured.</param>
    /// <param name="own">The bridge's own codecs, which only this log may measure.</param>
    /// <param name="path">Counts lost rows, and has the name of the file.</param>
    /// <param name="codecs">Counts failed measurements.</param>
    /// <param name="onRowWritten">Called with each row, on the log's thread; null for no call.</param>
    public StepLog(
        Hub hub, TextWriter steps, MatchFigures figures, CodecLog mode, IReadOnlyList<IFrameProbe> own, SidePath path,
        SidePath codecs, Action<LoggedStep>? onRowWritten = null)
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(figures);
        ArgumentNullException.ThrowIfNull(own);
        ArgumentNullException.ThrowIfNull(codecs);
        (_hub, _figures, _mode, _path, _onRowWritten) = (hub, figures, mode, path, onRowWritten);
        _writer = new LogWriter(steps, path, hub.Memory);
        _probe = new CodecProbe(own, stockJson: mode == CodecLog.Full, codecs);
        if (mode == CodecLog.Sampled)
        {
            _sampler = new CodecSampler(_probe, TimeProvider.System);
            _pendingRows = new PendingRows(_probe, _sampler, Write);
        }

        _frames = new FollowerSubscription(
            hub, new SubscribeRequest { Policy = Policy.Every, Agent = "step log" },
            new SubscriberInfo("log", DeliverInline: false, Internal: true, EveryPerspective: true));
        _writer.Write(StepRow.Columns + "\n");
        new Thread(Run) { IsBackground = true, Name = "step log" }.Start();
    }

    /// <summary>Completes when the match's last step is written, or the log was disposed. Never fails.</summary>
    public Task Ended => _ended.Task;

    /// <summary>Call it when the match has ended: rows no longer wait for the encodings of subscribers.</summary>
    public void Finish() => _finish.Cancel();

    /// <summary>Stops at once. To write the last rows, wait for <see cref="Ended"/> first.</summary>
    public void Dispose()
    {
        _stop.TrySetResult();
        _finish.Cancel();
        _ended.Task.Wait();
        _finish.Dispose();
    }

    private void Run()
    {
        _path.Try(this, static log => log.Follow());
        _pendingRows?.WriteReady(all: true);
        _pendingRows?.Clear();
        _sampler?.Dispose();
        _frames.Dispose();
        _writer.Dispose();
        _ended.TrySetResult();
    }

    private void Follow()
    {
        while (TryNext(out var delivery))
        {
            if (!Handle(delivery))
            {
                AwaitDeliveries();
                return;
            }
        }
    }

    // Returns false if the log must stop. While this method waits, it writes rows that have become ready.
    private bool TryNext(out Delivery delivery)
    {
        delivery = default;
        while (!_stop.Task.IsCompleted)
        {
            _pendingRows?.WriteReady(all: false);
            if (_frames.TryRead(out delivery))
            {
                return true;
            }

            Task.WaitAny([_frames.PendingRead, _stop.Task], _pendingRows is { Count: > 0 } ? PollInterval : Timeout.InfiniteTimeSpan);
        }

        return false;
    }

    private bool Handle(Delivery delivery)
    {
        if (delivery.Frame is { } frame)
        {
            // If a row fails, only this row is lost.
            _path.Try((Log: this, Frame: frame), static step => step.Log.AddRow(step.Frame));
            return true;
        }

        if (delivery.Event?.Error is { Fatal: true, Code: StatusCode.ResourceExhausted })
        {
            // The queue overflows only in real time, because the match does not wait for the log. Continue with the newest
            // frame.
            _realtime = true;
            return _frames.TryRenew();
        }

        return !delivery.IsLast;
    }

    // The end of the recording and the next match wait for this method, so a slow subscriber must not prolong it.
    private void AwaitDeliveries()
    {
        var time = _hub.Options.TimeProvider;
        var ended = time.GetTimestamp();
        while (_pendingRows is { Count: > 0 } && time.GetElapsedTime(ended) < LastReaders.LongestWaitForOthers
            && !_finish.Token.WaitHandle.WaitOne(PollInterval))
        {
            _pendingRows.WriteReady(all: false);
        }
    }

    // Takes over the caller's reference to the frame.
    private void AddRow(ObservationFrame frame)
    {
        _realtime |= _hub.IsRealtime;
        var row = StepRow.Of(frame);
        AddMissing(frame.Header, isJump: frame.Jump is not null);
        if (_pendingRows is not null)
        {
            _pendingRows.Add(row, frame);
            return;
        }

        try
        {
            if (_mode == CodecLog.Full && (!_realtime || _frames.Queued < FramesBehindInRealTime))
            {
                row = _probe.Measure(frame, row);
            }

            Write(row, frame.EventMessage.Length, frame.Header);
        }
        finally
        {
            frame.Release();
        }
    }

    // Adds empty rows for steps that the log did not receive. Steps that a playback skipped get no rows.
    private void AddMissing(in FrameHeader header, bool isJump)
    {
        var (perspective, step) = (header.Perspective, header.Step);
        var next = isJump ? step : _nextSteps.GetValueOrDefault(perspective);
        _nextSteps[perspective] = step + 1;
        for (; next < step && _emptyRows < MaxMissingRows; next++, _emptyRows++)
        {
            var empty = new StepRow { Step = next, Perspective = perspective };
            if (_pendingRows is null)
            {
                Write(empty, 0, null);
            }
            else
            {
                _pendingRows.Add(empty, null);
            }
        }

        if (next < step)
        {
            _path.ReportLoss(
                (long)Math.Min(step - next, int.MaxValue),
                $"{_path.Name} has no rows of steps {next} to {step - 1}: too many are missing");
        }
    }

    // Never fails: if a row fails, only this row is lost.
    private void Write(StepRow row, int eventBytes, FrameHeader? header) => _path.Try(
        (Log: this, Row: row, EventBytes: eventBytes, Header: header),
        static one =>
        {
            var (log, row, eventBytes, header) = one;
            log._writer.Write(row.ToLine(), log._realtime ? TimeSpan.Zero : DiskDeadline);
            if (header is not null)
            {
                log._figures.Add(row, eventBytes);
            }

            var logged = new LoggedStep(row.ToRecord(), header?.RequestedNs, header?.ObservedNs);
            log._hub.Events.RaiseStepLogged(logged);
            log._onRowWritten?.Invoke(logged);
        });
}
