using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>What an agent measured for a step.</summary>
/// <param name="Agent">Its name.</param>
/// <param name="Transport">What it is connected over.</param>
/// <param name="Policy">What it gets its frames under.</param>
/// <param name="Perspective">A player id, 0 for an observer of all.</param>
/// <param name="Times">As it reported them.</param>
/// <param name="Actions">How many actions it sent for the step; null where it only watches.</param>
/// <param name="ReportedNs">When the report came, in nanoseconds of <see cref="MonotonicClock"/>.</param>
public readonly record struct TimesReport(
    string Agent, string Transport, Policy Policy, uint Perspective, StepTimes Times, int? Actions, long ReportedNs);
