namespace Sc2Bridge.Admission;

/// <summary>Tokens or certificates that a person gave cannot be used; the message says which, and what to do.</summary>
/// <param name="message">One line, without any token.</param>
/// <param name="cause">What the system said.</param>
public sealed class CredentialException(string message, Exception? cause = null) : IOException(message, cause);
