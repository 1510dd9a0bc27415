using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Actions of an agent, or of a bot behind the proxy, and their outcome.</summary>
/// <param name="RequestedNs">When the bridge got it, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="Record">Who, what, and the game's answers; not changed any more.</param>
/// <param name="Passed">
/// Whether it went to the game without the hub: its sender is not a subscriber, and reports no times.
/// </param>
public readonly record struct ActionReport(long RequestedNs, ActionRecord Record, bool Passed = false);
