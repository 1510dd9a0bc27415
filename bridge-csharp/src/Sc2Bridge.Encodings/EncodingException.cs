namespace Sc2Bridge.Encodings;

/// <summary>Bytes or text are malformed. The message is one line.</summary>
/// <param name="message">The problem.</param>
/// <param name="inner">The library's exception, if it threw one.</param>
public sealed class EncodingException(string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>A problem at a byte.</summary>
    internal EncodingException(string message, int offset)
        : this($"{message}, at byte {offset}") => Offset = offset;

    /// <summary>The byte of the problem, from 0; null if unknown.</summary>
    public int? Offset { get; }
}
