namespace Sc2Bridge.Streaming;

/// <summary>The hub refuses a request. The message is one line that says what to do instead.</summary>
/// <param name="code">A gRPC status code, see <see cref="StatusCode"/>.</param>
/// <param name="message">The reason, and what to do instead.</param>
public sealed class RequestRefusedException(uint code, string message)
    : Exception(message.Length > MaxLength ? $"{message.AsSpan(0, MaxLength)} …" : message)
{
    // The length is limited, because the message quotes the request and is sent in a header.
    private const int MaxLength = 1000;

    /// <summary>A gRPC status code.</summary>
    public uint Code { get; } = code;

    /// <summary>What the agent did, if the refusal ends its subscription.</summary>
    internal AgentTroubleKind Trouble { get; init; } = AgentTroubleKind.Refused;
}
