using System.Runtime.CompilerServices;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Delivers frames to the subscribers of a hub, and waits for subscribers that delay the match. Frames of one perspective
/// are published one at a time. Perspectives do not wait for each other.
/// </summary>
public sealed class FramePublisher
{
    private readonly Hub _hub;
    private readonly HubMeters _meters;
    private readonly MemoryRelief _relief;
    private readonly StepTraces? _traces;

    // The deadlines of subscribers, in ascending order. The last deadline is infinite: the bridge's own subscribers have no deadline here.
    private readonly TimeSpan[] _deadlines;
    private long _published;

    internal FramePublisher(Hub hub, HubMeters meters, MemoryRelief relief)
    {
        (_hub, _meters, _relief) = (hub, meters, relief);
        var options = hub.Options;
        _deadlines =
        [
            .. new[] { options.LockstepDeadline, options.PauseDeadline }
                .Where(deadline => deadline != Timeout.InfiniteTimeSpan).Distinct().Order(),
            Timeout.InfiniteTimeSpan,
        ];
        if (options.TraceEvery > 0)
        {
            _traces = new StepTraces(options.TraceEvery, hub.Perspectives);
            hub.Events.TimesReported += _traces.OnTimesReported;
        }
    }

    /// <summary>Observations published so far, of all perspectives and matches.</summary>
    public long Published => Interlocked.Read(ref _published);

    /// <summary>
    /// Sends the game the actions that a side's agents have sent since the last step. Call this method before you
    /// request the next step. It does nothing in real time, because the game already has the actions.
    /// </summary>
    /// <param name="perspective">The side.</param>
    /// <param name="ct">Cancels the wait for the game's answer.</param>
    /// <returns>Completes when the agents' outcomes are queued. Await it before the next frame. Never fails.</returns>
    public Task SendActionsAsync(uint perspective, CancellationToken ct) => _hub.Perspectives.Of(perspective).SideActions.SendAsync(ct);

    /// <summary>
    /// Delivers a frame to every subscriber of its perspective. Completes when full queues that pause the game have room
    /// again, and lockstep agents have answered or missed the deadline. Completes synchronously if no subscriber delays the match.
    /// </summary>
    /// <param name="frame">The hub takes over the caller's reference, even if this method throws.</param>
    /// <param name="ct">Cancels the wait. The frame stays delivered.</param>
    /// <exception cref="InvalidOperationException">
    /// The frame's match does not run, or another frame of its perspective is being published.
    /// </exception>
    public ValueTask PublishAsync(ObservationFrame frame, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(frame);
        return _traces?.ShouldTrace(frame.Header.Step) == true ? PublishTracedAsync(_traces, frame, ct) : PublishUntracedAsync(frame, ct);
    }

    /// <summary>
    /// Offers the newest frame to a new subscriber with policy latest, because a paused playback publishes nothing. Call it
    /// after the subscription was added, so that no frame is missed.
    /// </summary>
    internal void OfferKeptFrame(Subscription subscription)
    {
        if (subscription.Policy == Policy.Latest && subscription.State.Perspective is { } watched
            && _hub.Perspectives.KeptFrame(watched) is { } kept)
        {
            subscription.OfferKeptFrame(kept);
            kept.Release();
        }
    }

    // This code has its own method, because otherwise steps without a trace would also allocate the closure.
    private ValueTask PublishTracedAsync(StepTraces traces, ObservationFrame frame, CancellationToken ct) =>
        traces.TraceAsync(frame.Header, () => PublishUntracedAsync(frame, ct));

    private ValueTask PublishUntracedAsync(ObservationFrame frame, CancellationToken ct)
    {
        PublishedPerspective? perspective = null;
        try
        {
            var published = _hub.Perspectives.Of(frame.Header);
            published.Barrier.BeginPublication();
            perspective = published;
            perspective.RecordPublished(frame, _hub.Perspectives.KeepsNewest);
            _meters.RecordPublished(frame);
            Interlocked.Increment(ref _published);
            frame.ChargeTo(_hub.Memory);
            if (_hub.Memory.IsOverCeiling)
            {
                _relief.Relieve();
            }

            foreach (var subscription in _hub.Subscriptions.Order.All)
            {
                subscription.Offer(frame, perspective.Barrier);
            }
        }
        catch
        {
            perspective?.Barrier.EndPublication();
            throw;
        }
        finally
        {
            frame.Release();
        }

        if (perspective.Barrier.IsHeld)
        {
            return WaitAsync(perspective, ct);
        }

        perspective.Barrier.EndPublication();
        return ValueTask.CompletedTask;
    }

    // Uses pooled objects, so that a wait allocates nothing.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WaitAsync(PublishedPerspective perspective, CancellationToken ct)
    {
        var barrier = perspective.Barrier;
        try
        {
            foreach (var deadline in _deadlines)
            {
                // Continues on the thread that handles the last lockstep acknowledgement, or on a pool or timer thread.
                if (await barrier.WaitAsync(deadline, ct).ConfigureAwait(false))
                {
                    return;
                }

                foreach (var subscription in _hub.Subscriptions.Order.All)
                {
                    if (subscription.ReleaseExpiredHold(barrier, deadline))
                    {
                        _hub.Events.NoticeMissedDeadline(subscription, perspective.Step, deadline);
                    }
                }
            }
        }
        finally
        {
            barrier.EndPublication();
        }
    }
}
