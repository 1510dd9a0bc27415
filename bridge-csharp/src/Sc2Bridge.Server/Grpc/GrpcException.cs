namespace Sc2Bridge.Server;

/// <summary>Ends a call with a status that is not OK: what a peer did wrong, or what the bridge cannot do.</summary>
/// <param name="code">The status code.</param>
/// <param name="message">One line that says what to do; it travels as <c>grpc-message</c>.</param>
public sealed class GrpcException(GrpcCode code, string message) : Exception(message)
{
    /// <summary>The status code.</summary>
    public GrpcCode Code { get; } = code;
}
