namespace Sc2Bridge.Measuring;

/// <summary>Something could not be measured; the message says why, in one line.</summary>
/// <param name="message">Why, and what to do about it.</param>
public sealed class MeasuringException(string message) : Exception(message);
