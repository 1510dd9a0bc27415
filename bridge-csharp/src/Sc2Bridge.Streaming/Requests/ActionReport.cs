using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>What an agent, or a bot behind the proxy, had its player do, and what became of it.</summary>
/// <param name="RequestedNs">When the bridge got it, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="Record">Who, what, and the game's answers; not changed any more.</param>
/// <param name="Passed">
/// Whether it went to the game past the hub: who did it is no subscriber, and reports nothing.
/// </param>
public readonly record struct ActionReport(long RequestedNs, ActionRecord Record, bool Passed = false);
