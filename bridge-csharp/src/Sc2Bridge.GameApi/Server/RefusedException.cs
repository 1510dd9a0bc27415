namespace Sc2Bridge.GameApi;

/// <summary>A request that the game answers with an error and no body.</summary>
public sealed class RefusedException(string message) : Exception(message);
