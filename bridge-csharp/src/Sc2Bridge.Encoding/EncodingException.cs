namespace Sc2Bridge.Encoding;

/// <summary>Bytes or text that are not what they should be; the message says what, in one line.</summary>
/// <param name="message">What is wrong.</param>
/// <param name="inner">What the library said, where it did.</param>
public sealed class EncodingException(string message, Exception? inner = null) : Exception(message, inner);
