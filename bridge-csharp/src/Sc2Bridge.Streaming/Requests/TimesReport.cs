using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>The times that an agent measured for a step.</summary>
/// <param name="Agent">The agent's name.</param>
/// <param name="Transport">The transport of the agent's connection.</param>
/// <param name="Policy">The policy of the agent's subscription.</param>
/// <param name="Perspective">A player id; 0 for an observer of all players.</param>
/// <param name="Times">The reported times.</param>
/// <param name="Actions">The number of actions that the agent sent for the step; null if the agent only watches.</param>
/// <param name="ReportedNs">When the report arrived, in nanoseconds of <see cref="MonotonicClock"/>.</param>
public readonly record struct TimesReport(
    string Agent, string Transport, Policy Policy, uint Perspective, StepTimes Times, int? Actions, long ReportedNs);
