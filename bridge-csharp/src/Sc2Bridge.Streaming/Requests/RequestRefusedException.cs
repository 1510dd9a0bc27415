namespace Sc2Bridge.Streaming;

/// <summary>The hub refuses what was asked; the message is one line that names what to do.</summary>
/// <param name="code">A gRPC status code, see <see cref="StatusCode"/>.</param>
/// <param name="message">Why, and what to ask for instead.</param>
public sealed class RequestRefusedException(uint code, string message) : Exception(message)
{
    /// <summary>A gRPC status code.</summary>
    public uint Code { get; } = code;
}
