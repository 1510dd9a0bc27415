using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Tells clients how the stream does: who subscribes, how far behind, what the match waits for. However many ask, the
/// subscribers are looked at ten times a second at most. Thread-safe.
/// </summary>
/// <param name="hub">What clients subscribe to.</param>
/// <param name="health">Knows why the bridge is degraded; null: it is not.</param>
public sealed class StatusOfBridge(Hub hub, HealthOfBridge? health)
{
    private const int MostSubscribers = 200;
    private static readonly TimeSpan _period = TimeSpan.FromMilliseconds(100);

    private readonly Lock _lock = new();
    private Look? _newest;

    /// <summary>Answers a client.</summary>
    /// <param name="identity">The client.</param>
    /// <exception cref="RequestRefusedException">UNAUTHENTICATED, PERMISSION_DENIED: it may not watch.</exception>
    public StatusResponse Answer(Identity identity)
    {
        ArgumentNullException.ThrowIfNull(identity);
        Permissions.Require(identity, Roles.Watch, "the status", hub.Options.TimeProvider);
        var side = Permissions.Perspective(identity, asked: null, hub.Options.SidesApart);
        var look = Newest();
        var seen = side is null
            ? look.Subscribers : [.. look.Subscribers.Where(one => one.Perspective == side && !one.Internal)];
        var status = new StatusResponse
        {
            CreatedNs = look.MadeNs,
            MatchId = look.MatchId,
            Steps = (ulong)look.Published,
            Subscribers = { seen.Take(MostSubscribers).Select(Told) },
            MoreSubscribers = (uint)Math.Max(0, seen.Length - MostSubscribers),
            Encodings = { EncodingMeter.Totals() },
            Drawings = { hub.CurrentMatch.Drawings.All.Where(one => side is null || one.Perspective == side) },
        };
        if (health?.Now is { State: HealthState.Degraded } degraded)
        {
            // The reasons name agents, of the other side too.
            status.Degraded.Add(side is null ? degraded.Reasons : ["the bridge is degraded"]);
        }

        return status;
    }

    private Look Newest()
    {
        lock (_lock)
        {
            return _newest = _newest is { } newest && hub.Options.TimeProvider.GetElapsedTime(newest.MadeAt) < _period
                ? newest
                : new Look(
                    hub.Options.TimeProvider.GetTimestamp(), MonotonicClock.NowNs, hub.CurrentMatch.Match?.MatchId ?? "", hub.Publisher.Published, [.. hub.Subscribers.Where(one => !one.HasEnded)]);
        }
    }

    private SubscriberStatus Told(SubscriberState state)
    {
        var told = new SubscriberStatus
        {
            Name = state.Name,
            Transport = state.Transport,
            Policy = state.Policy,
            Internal = state.Internal,
            Delivered = (ulong)state.Delivered,
            Dropped = (ulong)state.Dropped,
            Bytes = (ulong)state.SentBytes,
            QueuedFrames = (ulong)state.Queued,
            QueuedBytes = (ulong)state.QueuedBytes,
            MatchWaitNs = state.Held.Ticks * 100,
            MatchWaits = state.Holds,
        };
        if (state.Perspective is { } perspective)
        {
            told.Perspective = perspective;
        }

        if (state.LastStep is { } step)
        {
            told.LastStep = step;
        }

        if (state.LastTimes is { } times && CheckedTimes.Of(times, hub.Perspectives).Delivered is { } microseconds)
        {
            told.DelayNs = (long)(microseconds * 1000);
        }

        return told;
    }

    private sealed record Look(long MadeAt, long MadeNs, string MatchId, long Published, SubscriberState[] Subscribers);
}
