namespace Sc2Bridge.Games;

/// <summary>The game failed. The connection to the client did not fail.</summary>
/// <param name="cause">The game's exception.</param>
internal sealed class GameFailure(Exception cause) : Exception(cause.Message, cause);
