using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>The actions of an agent, or of a bot behind the proxy, and their outcome.</summary>
/// <param name="RequestedNs">When the bridge received the actions, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="Record">The sender, the actions and the game's answers. The actions are missing if the recording has no room for them.</param>
/// <param name="Passed">Whether a bot sent the actions through the proxy, not through the hub. Such a bot is not a subscriber, and reports no times.</param>
public readonly record struct ActionReport(long RequestedNs, ActionRecord Record, bool Passed = false)
{
    /// <summary>The number of actions.</summary>
    public int Count { get; } = Record.Actions.Count;
}
