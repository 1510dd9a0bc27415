namespace Sc2Bridge.Streaming;

/// <summary>The states of a subscriber. Each can only be followed by a later one.</summary>
internal enum SubscriberPhase
{
    /// <summary>No match has begun that it could belong to: it gets nothing, and its actions are refused.</summary>
    Waiting,

    /// <summary>It belongs to a match: it gets frames, and its agent may act.</summary>
    Bound,

    /// <summary>It gets what is queued and then the reason. Its agent can only report times, if the match ended.</summary>
    Ended,

    /// <summary>Its reader is gone: nothing has an effect.</summary>
    Closed,
}
