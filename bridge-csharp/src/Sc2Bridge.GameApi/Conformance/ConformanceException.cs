namespace Sc2Bridge.GameApi;

/// <summary>A game did not reach a state, so its answers in that state cannot be checked.</summary>
public sealed class ConformanceException(string message) : Exception(message);
