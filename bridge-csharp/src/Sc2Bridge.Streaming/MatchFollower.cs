using System.Globalization;
using Google.Protobuf;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Follows a match to its end on a thread of its own: it receives the frames of every perspective, and rows from other threads.
/// If frames come too fast in real time, some are lost, and it continues with the newest. A failure ends this follower only,
/// and neither the match nor the process.
/// </summary>
/// <param name="hub">The hub.</param>
/// <param name="request">What to subscribe to.</param>
/// <param name="rowBytes">The bytes of rows that may wait.</param>
/// <param name="place">Where observations are missing after a gap, for people.</param>
/// <param name="report">Gets one line for people if observations are missing.</param>
public abstract class MatchFollower(Hub hub, SubscribeRequest request, long rowBytes, string place, Action<string> report) : IDisposable
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(2);

    // A busy thread pool may still hold a frame that was published before the stop.
    private static readonly TimeSpan InHand = TimeSpan.FromSeconds(1);

    private readonly FollowerRows _rows = new(hub.Memory, rowBytes);
    private readonly TaskCompletionSource _complete = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _stop = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task _following = Task.CompletedTask;
    private FollowerSubscription? _frames;
    private long _gaps;
    private long _missing;
    private bool _hasBegun;
    private bool _receivedAll;
    private volatile MatchEnd? _end;

    /// <summary>The match; null while none was announced.</summary>
    protected MatchDescription? Match => _frames?.Match;

    /// <summary>How the match ended; null while that is not known.</summary>
    protected MatchEnd? MatchEnd => _end;

    /// <summary>Stretches of observations that are missing.</summary>
    protected long Gaps => Interlocked.Read(ref _gaps);

    /// <summary>Observations that are missing in them.</summary>
    protected long Missing => Interlocked.Read(ref _missing);

    /// <summary>Rows that are missing.</summary>
    protected long MissingRows => _rows.Missing;

    /// <summary>Whether frames can still be used; asked on any thread.</summary>
    protected virtual bool CanContinue => true;

    /// <summary>
    /// The match has ended, and all its rows were added: completes when this is at its end too; never fails.
    /// </summary>
    /// <param name="end">How it ended.</param>
    protected async Task FollowToAsync(MatchEnd end)
    {
        await hub.Events.FlushAsync();
        _end = end;
        _complete.TrySetResult();
        await _following;
    }

    /// <summary>Ends it with what there is.</summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    /// <inheritdoc cref="Dispose()"/>
    /// <param name="disposing">True: there is no finalizer.</param>
    protected virtual void Dispose(bool disposing)
    {
        _stop.TrySetResult();
        _following.Wait();
    }

    /// <summary>Subscribes and starts the thread. A derived class calls it before the first frame is published.</summary>
    /// <param name="info">What the subscriber is.</param>
    protected void Start(SubscriberInfo info)
    {
        _frames = new FollowerSubscription(hub, request, info);
        _following = Task.Factory.StartNew(Run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>The match is known.</summary>
    /// <param name="match">The match.</param>
    /// <param name="first">Its first frame; null if it ended before.</param>
    protected abstract void OnMatch(MatchDescription match, ObservationFrame? first);

    /// <summary>Takes a frame.</summary>
    /// <param name="frame">The frame, held during the call.</param>
    /// <param name="delivery">What it came with.</param>
    protected abstract void OnFrame(ObservationFrame frame, in Delivery delivery);

    /// <summary>Called at least every two seconds once the match is known: a derived class calls <see cref="WriteRows"/>.</summary>
    protected abstract void OnTick();

    /// <summary>Frames are lost from now on, until the next one of each perspective.</summary>
    /// <param name="reason">Why; null if too many bytes waited.</param>
    protected abstract void OnFramesLost(string? reason);

    /// <summary>Nothing more comes.</summary>
    protected abstract void OnEnd();

    /// <summary>Frees what it holds; after <see cref="OnEnd"/>, or a failure.</summary>
    protected abstract void Free();

    /// <summary>Following ended because something failed.</summary>
    protected abstract void OnFailed(Exception failure);

    /// <summary>Adds a row, from any thread; if too many wait it is missing.</summary>
    /// <param name="record">Its message.</param>
    /// <param name="write">Called on this one's own thread.</param>
    protected void AddRow(IMessage record, Action write) => _rows.Add(record, write);

    /// <summary>A row is missing.</summary>
    protected void CountMissingRow() => _rows.CountMissing();

    /// <summary>Writes the rows that wait.</summary>
    protected void WriteRows() => _rows.Write();

    /// <summary>Counts observations that are missing, and reports them.</summary>
    protected virtual void ReportGap(Gap gap)
    {
        ArgumentNullException.ThrowIfNull(gap);
        Interlocked.Increment(ref _gaps);
        Interlocked.Add(ref _missing, (long)gap.Steps);
        report(string.Create(
            CultureInfo.InvariantCulture,
            $"steps {gap.FirstStep} to {gap.FirstStep + gap.Steps - 1} are missing {place}: {gap.Reason}"));
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
#pragma warning disable CA1031 // Whatever it is: this ends, and the match goes on.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            OnFailed(failure);
        }
    }

    private void Follow()
    {
        while (CanContinue && !(_receivedAll && _complete.Task.IsCompleted))
        {
            if (!_receivedAll && _frames!.TryRead(out var delivery))
            {
                Take(delivery);
            }
            else if (_stop.Task.IsCompleted && (_receivedAll || Task.WaitAny([_frames!.Pending], InHand) < 0))
            {
                return;
            }
            else
            {
                Task.WaitAny([_receivedAll ? _complete.Task : _frames!.Pending, _stop.Task], Period);
            }

            if (_hasBegun)
            {
                OnTick();
            }
        }
    }

    private void Take(Delivery delivery)
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
            // Only in real time a queue runs over. After any other error the rest of the match is missing.
            var ranOver = error.Code == StatusCode.ResourceExhausted;
            OnFramesLost(ranOver ? null : error.Message);
            _receivedAll = !ranOver || !_frames!.TryRenew();
            return;
        }

        _end ??= delivery.Event?.MatchEnd;
        _receivedAll |= delivery.IsLast;
    }
}
