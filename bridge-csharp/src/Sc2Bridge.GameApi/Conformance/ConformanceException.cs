namespace Sc2Bridge.GameApi;

/// <summary>A game cannot be brought into a state, so that what it answers there is not known.</summary>
public sealed class ConformanceException(string message) : Exception(message);
