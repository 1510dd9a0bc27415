using System.Globalization;
using Google.Protobuf;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Follows a match to its end on its own thread. It receives the frames of every perspective, and rows from other
/// threads. If frames arrive too fast in real time, some are lost, and the follower continues with the newest frame. A
/// failure ends only this follower, not the match or the process.
/// </summary>
/// <param name="hub">The hub.</param>
/// <param name="request">What to subscribe to.</param>
/// <param name="maxQueuedRowBytes">The most bytes of rows that may be queued.</param>
/// <param name="missingFrom">Where observations are missing, such as "in FILE". These words become part of the reported line.</param>
/// <param name="report">Receives one readable line for each gap.</param>
public abstract class MatchFollower(Hub hub, SubscribeRequest request, long maxQueuedRowBytes, string missingFrom, Action<string> report) : IDisposable
{
    private static readonly TimeSpan TickPeriod = TimeSpan.FromSeconds(2);

    // How long to wait for a last frame. On a busy thread pool, a frame that was published before the stop may arrive after the stop.
    private static readonly TimeSpan LateFrameTimeout = TimeSpan.FromSeconds(1);

    private readonly FollowerRows _rows = new(hub.Memory, maxQueuedRowBytes);
    private readonly TaskCompletionSource _allRowsAdded = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _stopRequested = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task _following = Task.CompletedTask;
    private FollowerSubscription? _frames;
    private long _gaps;
    private long _missing;
    private bool _hasBegun;
    private bool _receivedAllFrames;
    private volatile MatchEnd? _end;

    /// <summary>The match; null until a match is announced.</summary>
    protected MatchDescription? Match => _frames?.Match;

    /// <summary>How the match ended; null until the end is known.</summary>
    protected MatchEnd? MatchEnd => _end;

    /// <summary>The number of gaps. A gap is a run of consecutive missing observations.</summary>
    protected long Gaps => Interlocked.Read(ref _gaps);

    /// <summary>The total number of missing observations.</summary>
    protected long Missing => Interlocked.Read(ref _missing);

    /// <summary>The number of missing rows.</summary>
    protected long MissingRows => _rows.MissingCount;

    /// <summary>Whether the follower can still use frames. Any thread may ask.</summary>
    protected virtual bool CanContinue => true;

    /// <summary>
    /// Call this when the match has ended and all its rows were added. Completes when the follower has handled everything.
    /// Never fails.
    /// </summary>
    /// <param name="end">How the match ended.</param>
    protected async Task FollowToAsync(MatchEnd end)
    {
        await hub.Events.FlushAsync();
        _end = end;
        _allRowsAdded.TrySetResult();
        await _following;
    }

    /// <summary>Stops following, and handles the frames and rows that have already arrived.</summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    /// <inheritdoc cref="Dispose()"/>
    /// <param name="disposing">Always true, because there is no finalizer.</param>
    protected virtual void Dispose(bool disposing)
    {
        _stopRequested.TrySetResult();
        _following.Wait();
    }

    /// <summary>Subscribes and starts the thread. A derived class must call it before the first frame is published.</summary>
    /// <param name="info">What the subscriber is.</param>
    protected void Start(SubscriberInfo info)
    {
        _frames = new FollowerSubscription(hub, request, info);
        _following = Task.Factory.StartNew(Run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>Called once, when the match is known.</summary>
    /// <param name="match">The match.</param>
    /// <param name="first">The match's first frame; null if an event, such as the match's end, arrived first.</param>
    protected abstract void OnMatch(MatchDescription match, ObservationFrame? first);

    /// <summary>Handles a frame.</summary>
    /// <param name="frame">The frame. It is valid only during the call.</param>
    /// <param name="delivery">The delivery that contains the frame.</param>
    protected abstract void OnFrame(ObservationFrame frame, in Delivery delivery);

    /// <summary>Called at least every two seconds after the match is known. A derived class calls <see cref="WriteRows"/> here.</summary>
    protected abstract void OnTick();

    /// <summary>Called when frames are lost. The loss ends with the next frame of each perspective.</summary>
    /// <param name="reason">The reason; null if the queue was full.</param>
    protected abstract void OnFramesLost(string? reason);

    /// <summary>Called after the last frame and row.</summary>
    protected abstract void OnEnd();

    /// <summary>Frees the resources. Called after <see cref="OnEnd"/>, or after a failure.</summary>
    protected abstract void Free();

    /// <summary>Called when the follower has ended because of a failure.</summary>
    protected abstract void OnFailed(Exception failure);

    /// <summary>Adds a row, from any thread. If the queue is full, the row is dropped and counted as missing.</summary>
    /// <param name="record">The row's message. Its size counts towards the limit of queued bytes.</param>
    /// <param name="write">Writes the row. Called on the follower's thread.</param>
    protected void AddRow(IMessage record, Action write) => _rows.Add(record, write);

    /// <summary>Counts a missing row.</summary>
    protected void CountMissingRow() => _rows.CountMissing();

    /// <summary>Writes the queued rows.</summary>
    protected void WriteRows() => _rows.WriteQueued();

    /// <summary>Counts and reports missing observations.</summary>
    protected virtual void ReportGap(Gap gap)
    {
        ArgumentNullException.ThrowIfNull(gap);
        Interlocked.Increment(ref _gaps);
        Interlocked.Add(ref _missing, (long)gap.Steps);
        report(string.Create(
            CultureInfo.InvariantCulture,
            $"steps {gap.FirstStep} to {gap.FirstStep + gap.Steps - 1} are missing {missingFrom}: {gap.Reason}"));
    }

    private void Run()
    {
        try
        {
            try
            {
                Follow();
                OnEnd();
            }
            finally
            {
                _rows.Close();
                _frames!.Dispose();
                Free();
            }
        }
#pragma warning disable CA1031 // Whatever failed, only this follower ends, and the match continues.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            OnFailed(failure);
        }
    }

    private void Follow()
    {
        while (CanContinue && !(_receivedAllFrames && _allRowsAdded.Task.IsCompleted))
        {
            if (!_receivedAllFrames && _frames!.TryRead(out var delivery))
            {
                Handle(delivery);
            }
            else if (_stopRequested.Task.IsCompleted && (_receivedAllFrames || Task.WaitAny([_frames!.PendingRead], LateFrameTimeout) < 0))
            {
                return;
            }
            else
            {
                Task.WaitAny([_receivedAllFrames ? _allRowsAdded.Task : _frames!.PendingRead, _stopRequested.Task], TickPeriod);
            }

            if (_hasBegun)
            {
                OnTick();
            }
        }
    }

    private void Handle(Delivery delivery)
    {
        try
        {
            if (!_hasBegun && Match is { } match)
            {
                _hasBegun = true;
                OnMatch(match, delivery.Frame);
            }

            if (delivery.Frame is { } frame)
            {
                OnFrame(frame, delivery);
                return;
            }
        }
        finally
        {
            delivery.Release();
        }

        if (delivery.Event?.Error is { Fatal: true } error)
        {
            // A queue overflows only in real time. After any other error the rest of the match is missing.
            var hasOverflowed = error.Code == StatusCode.ResourceExhausted;
            OnFramesLost(hasOverflowed ? null : error.Message);
            _receivedAllFrames = !hasOverflowed || !_frames!.TryRenew();
            return;
        }

        _end ??= delivery.Event?.MatchEnd;
        _receivedAllFrames |= delivery.IsLast;
    }
}
