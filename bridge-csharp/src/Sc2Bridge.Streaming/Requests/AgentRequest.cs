using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>An agent's request to the game, and the answer.</summary>
/// <param name="RequestedNs">When it asked, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="Record">Who, what, and the answer or refusal; not changed any more.</param>
public readonly record struct AgentRequest(long RequestedNs, RequestRecord Record);

/// <summary>Actions of an agent, or of a bot behind the proxy, and their outcome.</summary>
/// <param name="RequestedNs">When the bridge got it, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="Record">Who, what, and the game's answers; not changed any more.</param>
/// <param name="Passed">
/// Whether it went to the game without the hub: its sender is not a subscriber, and reports no times.
/// </param>
public readonly record struct ActionReport(long RequestedNs, ActionRecord Record, bool Passed = false);

/// <summary>What an agent measured for a step.</summary>
/// <param name="Agent">Its name.</param>
/// <param name="Transport">What it is connected over.</param>
/// <param name="Perspective">A player id, 0 for an observer of all.</param>
/// <param name="Times">As it reported them.</param>
/// <param name="Actions">How many actions it sent for the step; null where it only watches.</param>
/// <param name="ReportedNs">When the report came, in nanoseconds of <see cref="MonotonicClock"/>.</param>
public readonly record struct TimesReport(
    string Agent, string Transport, uint Perspective, StepTimes Times, int? Actions, long ReportedNs);
