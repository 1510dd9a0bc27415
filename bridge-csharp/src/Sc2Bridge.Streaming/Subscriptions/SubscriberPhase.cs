namespace Sc2Bridge.Streaming;

/// <summary>The states of a subscriber. A subscriber can only move to a later state.</summary>
internal enum SubscriberPhase
{
    /// <summary>The subscriber waits for a match. It gets no frames, and the agent's actions are refused.</summary>
    Waiting,

    /// <summary>The subscriber is bound to a match. It gets frames, and the agent may act.</summary>
    Bound,

    /// <summary>The subscriber gets the rest of its queue and then the reason for the end. If the match has ended, the agent can still report times.</summary>
    Ended,

    /// <summary>The subscription was disposed. Messages of the agent have no effect.</summary>
    Closed,
}
