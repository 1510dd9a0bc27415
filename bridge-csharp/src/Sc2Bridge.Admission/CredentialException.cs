namespace Sc2Bridge.Admission;

/// <summary>The user's tokens or certificates cannot be used. The message names the problem and the remedy.</summary>
/// <param name="message">One line, without any token.</param>
/// <param name="cause">The system's error.</param>
public sealed class CredentialException(string message, Exception? cause = null) : IOException(message, cause);
