using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Writes a row of <c>steps.csv</c> for every step of every perspective: a subscriber like any other, on a thread of
/// its own, so that what it measures is in nobody's delivery. In a stepped match it pauses the game when its queue is
/// full, so that its rows are complete. In real time it leaves out measuring while it is behind, and a step that it
/// never got has a row of empty cells, up to a million of them.
/// </summary>
public sealed class StepLog : IDisposable
{
    private const int BehindInRealTime = 8;

    // Twice the steps of the longest match. A recording may claim that billions are missing: their rows would fill the
    // disk, where the next row's step says the same.
    private const int MostMissingRows = 1 << 20;

    private readonly Hub _hub;
    private readonly LogWriter _writer;
    private readonly CodecProbe _probe;
    private readonly Action<LoggedStep>? _logged;
    private readonly MatchFigures _figures;
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Streaming.Subscription _subscription;
    private readonly Dictionary<uint, ulong> _next = [];
    private int _missingRows;
    private bool _realtime;

    /// <summary>Subscribes and begins: to be made before the first frame is published.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="steps">
    /// Where the rows go; flushed after each, so that they are complete up to the last step however the process ends.
    /// Not disposed here.
    /// </param>
    /// <param name="figures">Gets what the summary needs.</param>
    /// <param name="mode">What is timed.</param>
    /// <param name="own">The bridge's own codecs, to be measured here alone.</param>
    /// <param name="failed">Gets one clear line when the log cannot be written (disk full); the match can go
    /// on.</param>
    /// <param name="logged">Gets each row too, on the log's thread.</param>
    public StepLog(
        Hub hub, TextWriter steps, MatchFigures figures, CodecLog mode, IReadOnlyList<IFrameProbe> own,
        Action<string> failed, Action<LoggedStep>? logged = null)
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(steps);
        ArgumentNullException.ThrowIfNull(figures);
        ArgumentNullException.ThrowIfNull(own);
        ArgumentNullException.ThrowIfNull(failed);
        _hub = hub;
        _writer = new LogWriter(steps, "steps.csv", failed);
        _figures = figures;
        _probe = new CodecProbe(mode, own);
        _logged = logged;
        _subscription = Subscribe();
        _writer.Write(StepRow.Columns, static (columns, to) => to.Write(columns + "\n"));
        new Thread(Run) { IsBackground = true, Name = "step log" }.Start();
    }

    /// <summary>Completes when the match's last step is written, or the log was disposed; never fails.</summary>
    public Task Ended => _ended.Task;

    /// <summary>Stops at once: wait for <see cref="Ended"/> first for the last rows.</summary>
    public void Dispose()
    {
        _stop.Cancel();
        _ended.Task.Wait();
        _subscription.Dispose();
        _stop.Dispose();
    }

    private Streaming.Subscription Subscribe(string match = "") => _hub.Subscribe(
        new V1.SubscribeRequest { Policy = Policy.Every, Agent = "step log", MatchId = match },
        new SubscriberInfo("log", DeliverInline: false, Internal: true, EveryPerspective: true));

    private void Run()
    {
        try
        {
            while (Take(_subscription.ReadAsync(_stop.Token).AsTask().GetAwaiter().GetResult()))
            {
            }
        }
        catch (Exception stopped) when (stopped is OperationCanceledException or ObjectDisposedException
            or RequestRefusedException)
        {
            // Disposed, or the bridge stops.
        }
        finally
        {
            _subscription.Dispose();
            _ended.TrySetResult();
        }
    }

    private bool Take(Delivery delivery)
    {
        if (delivery.Frame is { } frame)
        {
            try
            {
                Log(frame);
            }
            finally
            {
                delivery.Release();
            }

            return true;
        }

        if (delivery.Event?.Error is { Fatal: true, Code: StatusCode.ResourceExhausted })
        {
            // Only in real time, where nothing waits for the log: it goes on with the newest.
            _realtime = true;
            _subscription.Dispose();
            _subscription = Subscribe(_subscription.Match!.MatchId);
            return true;
        }

        return !delivery.IsLast;
    }

    private void Log(ObservationFrame frame)
    {
        var (perspective, step) = (frame.Header.Perspective, frame.Header.Step);

        // What a playback skips was not to be heard.
        var next = frame.Jump is null ? _next.GetValueOrDefault(perspective) : step;
        for (; next < step && _missingRows < MostMissingRows; next++, _missingRows++)
        {
            Write(new StepRow { Step = next, Perspective = perspective }, null);
        }

        _next[perspective] = step + 1;
        if (!_realtime && _hub.IsRealtime)
        {
            _realtime = true;
        }

        var row = _probe.Row(frame, measure: !_realtime || _subscription.State.Behind < BehindInRealTime);
        _figures.Add(row, frame);
        Write(row, frame.Header);
    }

    private void Write(StepRow row, FrameHeader? header)
    {
        _writer.Write(row, static (row, to) => row.Write(to));
        _logged?.Invoke(new LoggedStep(row.ToRecord(), header?.RequestedNs, header?.ObservedNs));
    }
}
