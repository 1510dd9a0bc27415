using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Reports the state of the stream to clients: the subscribers, how far behind they are, and what the match waits for.
/// The state of the subscribers is read at most ten times a second, however many clients ask. Thread-safe.
/// </summary>
/// <param name="hub">The hub.</param>
/// <param name="health">Knows why the bridge is degraded; null if health is not checked.</param>
public sealed class StatusOfBridge(Hub hub, HealthOfBridge? health)
{
    private const int MaxListedSubscribers = 200;
    private static readonly TimeSpan _snapshotLifetime = TimeSpan.FromMilliseconds(100);

    private readonly Lock _lock = new();
    private Snapshot? _newest;

    /// <summary>Returns the status that a client may see.</summary>
    /// <param name="identity">The client.</param>
    /// <exception cref="RequestRefusedException">UNAUTHENTICATED, PERMISSION_DENIED: the client may not watch.</exception>
    public StatusResponse StatusFor(Identity identity)
    {
        ArgumentNullException.ThrowIfNull(identity);
        Permissions.Require(identity, Roles.Watch, "the status", hub.Options.TimeProvider);
        var side = Permissions.Perspective(identity, asked: null, hub.Options.SidesApart);
        var snapshot = NewestSnapshot();
        var seen = side is null
            ? snapshot.Subscribers : [.. snapshot.Subscribers.Where(one => one.Perspective == side && !one.Internal)];
        var status = new StatusResponse
        {
            CreatedNs = snapshot.CreatedNs,
            MatchId = snapshot.MatchId,
            Steps = (ulong)snapshot.Published,
            Subscribers = { seen.Take(MaxListedSubscribers).Select(StatusOf) },
            MoreSubscribers = (uint)Math.Max(0, seen.Length - MaxListedSubscribers),
            Encodings = { EncodingMeter.Totals() },
            Drawings = { hub.CurrentMatch.Drawings.All.Where(one => side is null || one.Perspective == side) },
        };
        if (health?.Now is { State: HealthState.Degraded } degraded)
        {
            // The reasons may name agents of the other side, so a client of one side gets only a general reason.
            status.Degraded.Add(side is null ? degraded.Reasons : ["the bridge is degraded"]);
        }

        return status;
    }

    private Snapshot NewestSnapshot()
    {
        lock (_lock)
        {
            return _newest = _newest is { } newest && hub.Options.TimeProvider.GetElapsedTime(newest.CreatedTimestamp) < _snapshotLifetime
                ? newest
                : new Snapshot(
                    hub.Options.TimeProvider.GetTimestamp(), MonotonicClock.NowNs, hub.CurrentMatch.Match?.MatchId ?? "", hub.Publisher.Published, [.. hub.Subscribers.Where(one => !one.HasEnded)]);
        }
    }

    private SubscriberStatus StatusOf(SubscriberState state)
    {
        var status = new SubscriberStatus
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
            MatchWaitNs = state.HoldTime.Ticks * 100,
            MatchWaits = state.IsHolding,
        };
        if (state.Perspective is { } perspective)
        {
            status.Perspective = perspective;
        }

        if (state.LastStep is { } step)
        {
            status.LastStep = step;
        }

        if (state.LastTimes is { } times && CheckedTimes.Of(times, hub.Perspectives).Delivered is { } microseconds)
        {
            status.DelayNs = (long)(microseconds * 1000);
        }

        return status;
    }

    private sealed record Snapshot(long CreatedTimestamp, long CreatedNs, string MatchId, long Published, SubscriberState[] Subscribers);
}
