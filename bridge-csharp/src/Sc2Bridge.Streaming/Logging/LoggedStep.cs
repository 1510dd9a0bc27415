using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>A row of the step log, for who records or shows it.</summary>
/// <param name="Record">What was measured; not changed any more.</param>
/// <param name="RequestedNs">
/// When the game was asked for the step's observation, in nanoseconds of <see cref="MonotonicClock"/>; null for a step
/// that the log never got.
/// </param>
/// <param name="ObservedNs">When the answer was there; null with the other.</param>
public readonly record struct LoggedStep(StepRecord Record, long? RequestedNs, long? ObservedNs);
