using System.Runtime.CompilerServices;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Hands frames to the subscribers of a hub, and waits for subscribers that make the match wait. The frames of one perspective are
/// published one at a time, and do not wait for frames of another.
/// </summary>
public sealed class FramePublisher
{
    private readonly Hub _hub;
    private readonly HubMeters _meters;
    private readonly MemoryRelief _relief;
    private readonly StepTraces? _traces;

    // How long a publication is held back at most, the shorter first. The bridge's own subscribers have no such bound.
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
            hub.Events.TimesReported += _traces.Reported;
        }
    }

    /// <summary>Observations published so far, of all perspectives and matches.</summary>
    public long Published => Interlocked.Read(ref _published);

    /// <summary>
    /// A step of a perspective is about to be asked for: the actions that its side's agents have sent since the last step go to
    /// the game. A game in real time got them at once: then this does nothing.
    /// </summary>
    /// <param name="perspective">Whose.</param>
    /// <param name="ct">Gives up waiting for the game's answer.</param>
    /// <returns>Completes when the agents have their outcomes queued. Await it before the next frame. Never fails.</returns>
    public Task ActAsync(uint perspective, CancellationToken ct) => _hub.Perspectives.Of(perspective).Acting.SendAsync(ct);

    /// <summary>
    /// Hands a frame to every subscriber of its perspective. Completes when subscribers that pause have room and lockstep agents
    /// have answered or run out of time; at once if no subscriber makes it wait.
    /// </summary>
    /// <param name="frame">The hub takes over the caller's hold, also if this throws.</param>
    /// <param name="ct">Gives up waiting; the frame stays delivered.</param>
    /// <exception cref="InvalidOperationException">Its match does not run, or another frame of its perspective is published.</exception>
    public ValueTask PublishAsync(ObservationFrame frame, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(frame);
        return _traces?.Takes(frame.Header.Step) == true ? TracedAsync(_traces, frame, ct) : PublishUntracedAsync(frame, ct);
    }

    /// <summary>
    /// A playback that is held publishes nothing: a subscriber that joins it for the newest frame gets that frame. To be called after the
    /// subscription was added, so that a frame that is published meanwhile is offered there, or kept here.
    /// </summary>
    internal void OfferKept(Subscription subscription)
    {
        if (subscription.Policy == Policy.Latest && subscription.State.Perspective is { } watched
            && _hub.Perspectives.Kept(watched) is { } kept)
        {
            subscription.OfferKept(kept);
            kept.Release();
        }
    }

    // Not in the caller: the closure would be allocated for steps without a trace, too.
    private ValueTask TracedAsync(StepTraces traces, ObservationFrame frame, CancellationToken ct) =>
        traces.TraceAsync(frame.Header, () => PublishUntracedAsync(frame, ct));

    private ValueTask PublishUntracedAsync(ObservationFrame frame, CancellationToken ct)
    {
        PublishedPerspective? perspective = null;
        try
        {
            var published = _hub.Perspectives.Of(frame.Header);
            published.Barrier.Begin();
            perspective = published;
            perspective.Published(frame, _hub.Perspectives.Keeps);
            _meters.Published(frame);
            Interlocked.Increment(ref _published);
            frame.ChargeTo(_hub.Memory);
            if (_hub.Memory.IsOver)
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
            perspective?.Barrier.End();
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

        perspective.Barrier.End();
        return ValueTask.CompletedTask;
    }

    // Pooled: a wait allocates nothing.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WaitAsync(PublishedPerspective perspective, CancellationToken ct)
    {
        var barrier = perspective.Barrier;
        try
        {
            foreach (var deadline in _deadlines)
            {
                // Continues on the thread that handles the last lockstep acknowledgement; else on the pool's or a timer's.
                if (await barrier.WaitAsync(deadline, ct).ConfigureAwait(false))
                {
                    return;
                }

                foreach (var subscription in _hub.Subscriptions.Order.All)
                {
                    if (subscription.Expire(barrier, deadline))
                    {
                        _hub.Events.MissedDeadline(subscription, perspective.Step, deadline);
                    }
                }
            }
        }
        finally
        {
            barrier.End();
        }
    }
}
