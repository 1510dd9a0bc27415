namespace Sc2Bridge.Streaming;

/// <summary>
/// The gRPC status codes that the hub answers with
/// (https://grpc.github.io/grpc/core/md_doc_statuscodes.html); <c>Error.code</c> in bridge.proto.
/// </summary>
public static class StatusCode
{
    /// <summary>INVALID_ARGUMENT: the request is wrong whatever the match.</summary>
    public const uint InvalidArgument = 3;

    /// <summary>DEADLINE_EXCEEDED: a lockstep answer came too late.</summary>
    public const uint DeadlineExceeded = 4;

    /// <summary>NOT_FOUND: no such match.</summary>
    public const uint NotFound = 5;

    /// <summary>PERMISSION_DENIED: a request that would change the match for the others, or takes a role that the client has not.</summary>
    public const uint PermissionDenied = 7;

    /// <summary>RESOURCE_EXHAUSTED: a subscriber fell further behind than its queue holds.</summary>
    public const uint ResourceExhausted = 8;

    /// <summary>FAILED_PRECONDITION: not in this match, or not yet.</summary>
    public const uint FailedPrecondition = 9;

    /// <summary>UNIMPLEMENTED: not offered by this bridge.</summary>
    public const uint Unimplemented = 12;

    /// <summary>INTERNAL: the bridge failed, or the game's observation cannot be parsed.</summary>
    public const uint Internal = 13;

    /// <summary>UNAVAILABLE: the bridge stops.</summary>
    public const uint Unavailable = 14;

    /// <summary>UNAUTHENTICATED: no token where one is needed, an unknown one, or one that has expired.</summary>
    public const uint Unauthenticated = 16;
}
