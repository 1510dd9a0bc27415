namespace Sc2Bridge.Streaming;

/// <summary>One subscriber's state at one moment.</summary>
/// <param name="Name">The name; unique among the hub's subscribers.</param>
/// <param name="Transport">The transport's name, as in <see cref="SubscriberInfo"/>.</param>
/// <param name="Policy">The policy; never unspecified.</param>
/// <param name="MatchId">The match that the subscriber is bound to; null until a match is announced.</param>
/// <param name="Perspective">The perspective; null if the request did not name one and no match is announced yet.</param>
/// <param name="Queued">The number of queued frames.</param>
/// <param name="QueuedBytes">The bytes of queued frames as protobuf events, at least 8 KiB each.</param>
/// <param name="Delivered">The number of frames that the subscriber took.</param>
/// <param name="Dropped">The number of frames that the subscriber did not get: skipped, or still queued when the subscription ended.</param>
/// <param name="LastStep">The newest step that the subscriber took; null if it took none.</param>
/// <param name="Internal">Whether this is one of the bridge's own subscribers.</param>
/// <param name="HasEnded">Whether only the queue and the last event remain to be read.</param>
/// <param name="HoldTime">The total time that publications have waited for the subscriber.</param>
/// <param name="IsHolding">Whether a publication waits for the subscriber now.</param>
/// <param name="SentBytes">The bytes of the frame messages that the transport wrote.</param>
/// <param name="LastTimes">The times that the agent reported last; null if it reported none.</param>
/// <param name="Side">The player whose side the agent plays; null if the agent only watches.</param>
/// <param name="MayHold">Whether the client has the role <c>hold</c>. At a match's end, the bridge waits less for clients without this role.</param>
public readonly record struct SubscriberState(
    string Name,
    string Transport,
    V1.Policy Policy,
    string? MatchId,
    uint? Perspective,
    int Queued,
    long QueuedBytes,
    long Delivered,
    long Dropped,
    ulong? LastStep,
    bool Internal,
    bool HasEnded,
    TimeSpan HoldTime,
    bool IsHolding = false,
    long SentBytes = 0,
    TimesReport? LastTimes = null,
    uint? Side = null,
    bool MayHold = false);
