namespace Sc2Bridge.Simulator.Api;

/// <summary>A request that the game answers with an error and no body.</summary>
internal sealed class RefusedException(string message) : Exception(message);
