using System.Runtime.CompilerServices;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Hands frames to the subscribers of a hub, and waits for subscribers that make the match wait.</summary>
internal sealed class FramePublisher
{
    private readonly Hub _hub;
    private readonly HubMeters _meters;
    private readonly MemoryRelief _relief;
    private readonly StepTraces? _traces;

    // How long a publication is held back at most, the shorter first. The bridge's own subscribers have no such bound.
    private readonly TimeSpan[] _deadlines;
    private long _published;

    public FramePublisher(Hub hub, HubMeters meters, MemoryRelief relief)
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

    public long Published => Interlocked.Read(ref _published);

    /// <summary>See <see cref="Hub.PublishAsync"/>.</summary>
    public ValueTask PublishAsync(ObservationFrame frame, CancellationToken ct) =>
        _traces?.Takes(frame.Header.Step) == true ? TracedAsync(_traces, frame, ct) : PublishUntracedAsync(frame, ct);

    /// <summary>
    /// A playback that is held publishes nothing: a subscriber that joins it for the newest frame gets that frame. To be called after the
    /// subscription was added, so that a frame that is published meanwhile is offered there, or kept here.
    /// </summary>
    public void OfferKept(Subscription subscription)
    {
        if (subscription.Policy == Policy.Latest && subscription.State.Perspective is { } watched
            && _hub.Perspectives.Kept(watched) is { } kept)
        {
            subscription.Intake.OfferKept(kept);
            kept.Release();
        }
    }

    private async ValueTask TracedAsync(StepTraces traces, ObservationFrame frame, CancellationToken ct)
    {
        var (trace, startNs) = (traces.Begin(frame.Header), MonotonicClock.NowNs);
        await PublishUntracedAsync(frame, ct).ConfigureAwait(false);
        if (trace is not null)
        {
            StepTraces.End(trace, startNs);
        }
    }

    private ValueTask PublishUntracedAsync(ObservationFrame frame, CancellationToken ct)
    {
        PublishedPerspective? perspective = null;
        try
        {
            if (_hub.CurrentMatch.Match?.MatchId is var running && running != frame.Header.MatchId)
            {
                throw new InvalidOperationException(
                    $"A frame of match '{frame.Header.MatchId}' was published, but '{running}' runs: announce it.");
            }

            var published = _hub.Perspectives.Of(frame.Header.Perspective);
            published.Barrier.Begin();
            perspective = published;
            perspective.Published(frame, keeps: _hub.CurrentMatch.IsPlayback);
            _meters.Published(frame);
            Interlocked.Increment(ref _published);
            frame.ChargeTo(_hub.Memory);
            if (_hub.Memory.IsOver)
            {
                _relief.Relieve();
            }

            _hub.Acting.Published(frame.Header.Perspective, frame.Header.Step);
            foreach (var subscription in _hub.Subscriptions.All)
            {
                subscription.Intake.Offer(frame, perspective.Barrier);
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
                // Continues on the thread that releases the last hold.
                if (await barrier.WaitAsync(deadline, ct).ConfigureAwait(false))
                {
                    return;
                }

                foreach (var subscription in _hub.Subscriptions.All)
                {
                    if (subscription.Intake.Expire(barrier, deadline))
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
