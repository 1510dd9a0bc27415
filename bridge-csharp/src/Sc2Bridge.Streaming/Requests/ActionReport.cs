using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Actions of an agent, or of a bot behind the proxy, and their outcome.</summary>
/// <param name="RequestedNs">When the bridge got it, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="Record">Who, what, and the game's answers; without its actions if the sender has used up its share.</param>
/// <param name="Passed">
/// Whether it went to the game without the hub: its sender is not a subscriber, and reports no times.
/// </param>
public readonly record struct ActionReport(long RequestedNs, ActionRecord Record, bool Passed = false)
{
    /// <summary>How many actions there were.</summary>
    public int Count { get; } = Record.Actions.Count;
}
