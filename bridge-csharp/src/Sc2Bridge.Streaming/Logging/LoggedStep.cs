using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>A row of the step log, for listeners that record or show it.</summary>
/// <param name="Record">The measured values. Must not be changed.</param>
/// <param name="RequestedNs">
/// When the step's observation was requested, in nanoseconds of <see cref="MonotonicClock"/>. Null if the log did not
/// receive the step.
/// </param>
/// <param name="ObservedNs">When the game's answer had arrived, on the same clock. Null if <paramref name="RequestedNs"/> is null.</param>
public readonly record struct LoggedStep(StepRecord Record, long? RequestedNs, long? ObservedNs);
