using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>What an agent asked of the game, and what came of it.</summary>
/// <param name="RequestedNs">When it asked, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="Record">Who, what, and the answer or refusal; not changed any more.</param>
public readonly record struct AgentRequest(long RequestedNs, RequestRecord Record);

/// <summary>What an agent, or a bot behind the proxy, had its player do, and what became of it.</summary>
/// <param name="RequestedNs">When the bridge got it, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="Record">Who, what, and the game's answers; not changed any more.</param>
/// <param name="Passed">
/// Whether it went to the game past the hub: who did it is no subscriber, and reports nothing.
/// </param>
public readonly record struct ActionReport(long RequestedNs, ActionRecord Record, bool Passed = false);

/// <summary>What an agent measured for a step.</summary>
/// <param name="Agent">Its name.</param>
/// <param name="Transport">What it is connected over.</param>
/// <param name="Perspective">Whose eyes it has.</param>
/// <param name="Times">As it reported them.</param>
/// <param name="Actions">Actions of its that answer the step; null where it only watches.</param>
/// <param name="ReportedNs">When the report came, in nanoseconds of <see cref="MonotonicClock"/>.</param>
public readonly record struct TimesReport(
    string Agent, string Transport, uint Perspective, StepTimes Times, int? Actions, long ReportedNs);
