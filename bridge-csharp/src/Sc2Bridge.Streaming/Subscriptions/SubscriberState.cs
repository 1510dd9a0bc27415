namespace Sc2Bridge.Streaming;

/// <summary>One subscriber's state at one moment.</summary>
/// <param name="Name">Unique among the hub's subscribers.</param>
/// <param name="Transport">As of <see cref="SubscriberInfo"/>.</param>
/// <param name="Policy">Never unspecified.</param>
/// <param name="MatchId">The match it is bound to; null until one is announced.</param>
/// <param name="Perspective">Null until a match is announced, where the request did not name one.</param>
/// <param name="Queued">Frames that wait for it.</param>
/// <param name="QueuedBytes">Their bytes as protobuf events, at least 8 KiB each.</param>
/// <param name="Delivered">Frames handed to its reader so far.</param>
/// <param name="Dropped">Frames it never got: skipped, or still queued when the subscription ended.</param>
/// <param name="LastStep">The newest step handed to its reader; null before the first.</param>
/// <param name="Internal">One of the bridge's own.</param>
/// <param name="HasEnded">Nothing follows but what is queued, and the last event.</param>
/// <param name="Held">For how long publications have waited for it so far.</param>
/// <param name="Holds">Whether one waits for it now.</param>
/// <param name="SentBytes">Bytes of the frames' messages that its transport wrote.</param>
/// <param name="LastTimes">What its agent reported last; null where it has not.</param>
/// <param name="Side">The player whose side its agent plays; null if it only watches.</param>
/// <param name="MayHold">Whether its client has the role <c>hold</c>: others are never waited for.</param>
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
    TimeSpan Held,
    bool Holds = false,
    long SentBytes = 0,
    TimesReport? LastTimes = null,
    uint? Side = null,
    bool MayHold = false);
