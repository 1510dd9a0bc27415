using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>An agent's request to the game, and the answer.</summary>
/// <param name="RequestedNs">When the bridge received the request, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="Record">The sender, the request, and the answer or refusal. Do not change the record.</param>
public readonly record struct AgentRequest(long RequestedNs, RequestRecord Record);
