using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>An agent's request to the game, and the answer.</summary>
/// <param name="RequestedNs">When it asked, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="Record">Who, what, and the answer or refusal; not changed any more.</param>
public readonly record struct AgentRequest(long RequestedNs, RequestRecord Record);
