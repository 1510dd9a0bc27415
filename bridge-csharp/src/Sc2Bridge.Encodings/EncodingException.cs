namespace Sc2Bridge.Encodings;

/// <summary>Bytes or text that are not what they should be; the message says what, in one line.</summary>
/// <param name="message">What is wrong.</param>
/// <param name="inner">What the library said, where it did.</param>
public sealed class EncodingException(string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>What is wrong at which byte.</summary>
    internal EncodingException(string message, int offset)
        : this($"{message}, at byte {offset}") => Offset = offset;

    /// <summary>Where the bytes go wrong, counted from 0; null where that is not known.</summary>
    public int? Offset { get; }
}
