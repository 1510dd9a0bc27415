namespace Sc2Bridge.Streaming;

/// <summary>The hub refuses what was asked; the message is one line that names what to do.</summary>
/// <param name="code">A gRPC status code, see <see cref="StatusCode"/>.</param>
/// <param name="message">Why, and what to ask for instead.</param>
public sealed class RequestRefusedException(uint code, string message)
    : Exception(message.Length > Longest ? $"{message.AsSpan(0, Longest)} …" : message)
{
    // It quotes what was asked, and travels in a header.
    private const int Longest = 1000;

    /// <summary>A gRPC status code.</summary>
    public uint Code { get; } = code;
}
