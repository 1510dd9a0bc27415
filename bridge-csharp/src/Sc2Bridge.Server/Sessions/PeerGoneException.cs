namespace Sc2Bridge.Server;

/// <summary>A client's connection has ended, from either end: nothing to report. Thrown only for errors of its socket.</summary>
/// <param name="cause">What the socket threw.</param>
internal sealed class PeerGoneException(Exception? cause = null) : Exception("The client has gone.", cause);
