namespace Sc2Bridge.Server;

/// <summary>
/// The client or the bridge has ended the connection. This is not reported as an error. Thrown only for errors of the
/// client's own socket.
/// </summary>
/// <param name="cause">The socket's exception.</param>
internal sealed class PeerGoneException(Exception? cause = null) : Exception("The client has gone.", cause);
