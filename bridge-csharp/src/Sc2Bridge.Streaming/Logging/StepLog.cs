using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Writes a row of <c>steps.csv</c> for every step of every perspective: a subscriber like any other, on threads of its
/// own. Measuring delays no delivery, and the match does not wait for it, unless everything is to be measured
/// (<see cref="CodecLog.Full"/>): then a stepped match waits, and in real time nothing is measured while the log is
/// behind. A step that it never got has a row of empty cells.
/// </summary>
public sealed class StepLog : IDisposable
{
    private const int BehindInRealTime = 8;

    // A recording may claim any step number: bounds the rows for missing steps.
    private const long MostMissing = 65_536;

    // How often rows that wait for deliveries are looked at while nothing else happens.
    private static readonly TimeSpan Poll = TimeSpan.FromMilliseconds(20);

    // A stepped match waits so long for a disk that takes no rows.
    private static readonly TimeSpan DiskDeadline = TimeSpan.FromSeconds(5);

    private readonly Hub _hub;
    private readonly LogWriter _writer;
    private readonly SidePath _path;
    private readonly CodecLog _mode;
    private readonly CodecProbe _probe;
    private readonly CodecSampler? _sampler;
    private readonly PendingRows? _awaited;
    private readonly Action<LoggedStep>? _logged;
    private readonly MatchFigures _figures;
    private readonly FollowerSubscription _frames;
    private readonly TaskCompletionSource _stop = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _finish = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Dictionary<uint, ulong> _next = [];
    private long _missing;
    private bool _realtime;

    /// <summary>Subscribes and begins: to be made before the first frame is published.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="steps">Where the rows go; flushed after each. Not disposed here.</param>
    /// <param name="figures">Gets what the summary needs.</param>
    /// <param name="mode">What is measured.</param>
    /// <param name="own">The bridge's own codecs, to be measured here alone.</param>
    /// <param name="path">Told of rows that are lost; its name is the file's.</param>
    /// <param name="codecs">Told of measurements that fail.</param>
    /// <param name="logged">Gets each row too, on the log's thread.</param>
    public StepLog(
        Hub hub, TextWriter steps, MatchFigures figures, CodecLog mode, IReadOnlyList<IFrameProbe> own, SidePath path,
        SidePath codecs, Action<LoggedStep>? logged = null)
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(figures);
        ArgumentNullException.ThrowIfNull(own);
        ArgumentNullException.ThrowIfNull(codecs);
        (_hub, _figures, _mode, _path, _logged) = (hub, figures, mode, path, logged);
        _writer = new LogWriter(steps, path, hub.Memory);
        _probe = new CodecProbe(own, stockJson: mode == CodecLog.Full, codecs);
        if (mode == CodecLog.Sampled)
        {
            _sampler = new CodecSampler(_probe, TimeProvider.System);
            _awaited = new PendingRows(_probe, _sampler, Write);
        }

        _frames = new FollowerSubscription(
            hub, new SubscribeRequest { Policy = Policy.Every, Agent = "step log" },
            new SubscriberInfo("log", DeliverInline: false, Internal: true, EveryPerspective: true));
        _writer.Write(StepRow.Columns + "\n");
        new Thread(Run) { IsBackground = true, Name = "step log" }.Start();
    }

    /// <summary>Completes when the match's last step is written, or the log was disposed; never fails.</summary>
    public Task Ended => _ended.Task;

    /// <summary>The match has ended: rows wait no longer for what their frames' subscribers have made of them.</summary>
    public void Finish() => _finish.Cancel();

    /// <summary>Stops at once: wait for <see cref="Ended"/> first for the last rows.</summary>
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
        _awaited?.WriteReady(all: true);
        _awaited?.Clear();
        _sampler?.Dispose();
        _frames.Dispose();
        _writer.Dispose();
        _ended.TrySetResult();
    }

    private void Follow()
    {
        while (TryNext(out var delivery))
        {
            if (!Take(delivery))
            {
                AwaitDeliveries();
                return;
            }
        }
    }

    // False if the log is to stop. Meanwhile other subscribers may have released frames, so rows may be ready.
    private bool TryNext(out Delivery delivery)
    {
        delivery = default;
        while (!_stop.Task.IsCompleted)
        {
            _awaited?.WriteReady(all: false);
            if (_frames.TryRead(out delivery))
            {
                return true;
            }

            Task.WaitAny([_frames.Pending, _stop.Task], _awaited is { Count: > 0 } ? Poll : Timeout.InfiniteTimeSpan);
        }

        return false;
    }

    private bool Take(Delivery delivery)
    {
        if (delivery.Frame is { } frame)
        {
            // A row that fails is lost alone.
            _path.Try((Log: this, Frame: frame), static step => step.Log.Log(step.Frame));
            return true;
        }

        if (delivery.Event?.Error is { Fatal: true, Code: StatusCode.ResourceExhausted })
        {
            // Only in real time, where nothing waits for the log: it goes on with the newest.
            _realtime = true;
            return _frames.TryRenew();
        }

        return !delivery.IsLast;
    }

    // The recording's end and the next match wait for this, so that a subscriber must not prolong it.
    private void AwaitDeliveries()
    {
        var time = _hub.Options.TimeProvider;
        var ended = time.GetTimestamp();
        while (_awaited is { Count: > 0 } && time.GetElapsedTime(ended) < LastReaders.LongestOfOthers
            && !_finish.Token.WaitHandle.WaitOne(Poll))
        {
            _awaited.WriteReady(all: false);
        }
    }

    // Takes over the frame.
    private void Log(ObservationFrame frame)
    {
        _realtime |= _hub.IsRealtime;
        var row = StepRow.Of(frame);
        AddMissing(frame.Header, isJump: frame.Jump is not null);
        if (_awaited is not null)
        {
            _awaited.Add(row, frame);
            return;
        }

        try
        {
            if (_mode == CodecLog.Full && (!_realtime || _frames.Queued < BehindInRealTime))
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

    // Steps that a playback skipped have no rows.
    private void AddMissing(in FrameHeader header, bool isJump)
    {
        var (perspective, step) = (header.Perspective, header.Step);
        var next = isJump ? step : _next.GetValueOrDefault(perspective);
        _next[perspective] = step + 1;
        for (; next < step && _missing < MostMissing; next++, _missing++)
        {
            var empty = new StepRow { Step = next, Perspective = perspective };
            if (_awaited is null)
            {
                Write(empty, 0, null);
            }
            else
            {
                _awaited.Add(empty, null);
            }
        }

        if (next < step)
        {
            _path.Lose(
                (long)Math.Min(step - next, int.MaxValue),
                $"{_path.Name} has no rows of steps {next} to {step - 1}: too many are missing");
        }
    }

    // Never fails: a row is lost alone.
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
            log._hub.Events.Log(logged);
            log._logged?.Invoke(logged);
        });
}
