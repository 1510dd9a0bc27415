namespace Sc2Bridge.Games;

/// <summary>The game failed, which is not to be taken for its client's connection.</summary>
/// <param name="cause">What it threw.</param>
internal sealed class GameFailure(Exception cause) : Exception(cause.Message, cause);
