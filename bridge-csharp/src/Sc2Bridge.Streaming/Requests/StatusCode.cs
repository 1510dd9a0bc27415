namespace Sc2Bridge.Streaming;

/// <summary>
/// The gRPC status codes that the hub uses (https://grpc.github.io/grpc/core/md_doc_statuscodes.html). They are also the values
/// of <c>Error.code</c> in bridge.proto.
/// </summary>
public static class StatusCode
{
    /// <summary>INVALID_ARGUMENT: the request is invalid for any match.</summary>
    public const uint InvalidArgument = 3;

    /// <summary>DEADLINE_EXCEEDED: an agent answered or read too late.</summary>
    public const uint DeadlineExceeded = 4;

    /// <summary>NOT_FOUND: the match does not exist.</summary>
    public const uint NotFound = 5;

    /// <summary>PERMISSION_DENIED: the request would change the match for others, or requires a role that the client does not have.</summary>
    public const uint PermissionDenied = 7;

    /// <summary>RESOURCE_EXHAUSTED: a queue or another limit is full.</summary>
    public const uint ResourceExhausted = 8;

    /// <summary>FAILED_PRECONDITION: the request is not possible in this match, or not yet.</summary>
    public const uint FailedPrecondition = 9;

    /// <summary>UNIMPLEMENTED: this bridge does not offer what was requested.</summary>
    public const uint Unimplemented = 12;

    /// <summary>INTERNAL: the bridge failed, or the game's observation cannot be parsed.</summary>
    public const uint Internal = 13;

    /// <summary>UNAVAILABLE: the bridge stops.</summary>
    public const uint Unavailable = 14;

    /// <summary>UNAUTHENTICATED: a required token is missing, unknown or expired.</summary>
    public const uint Unauthenticated = 16;
}
