namespace Sc2Bridge.Encodings.Zstd;

/// <summary>libzstd is not there, or refused something; the message says which.</summary>
/// <param name="message">One line.</param>
public sealed class ZstdException(string message) : Exception(message);
