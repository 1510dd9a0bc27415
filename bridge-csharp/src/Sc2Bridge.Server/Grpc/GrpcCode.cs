namespace Sc2Bridge.Server;

/// <summary>gRPC's status codes (https://grpc.github.io/grpc/core/md_doc_statuscodes.html).</summary>
public enum GrpcCode
{
    /// <summary>The call did what was asked.</summary>
    Ok = 0,

    /// <summary>The client went away or gave up.</summary>
    Cancelled = 1,

    /// <summary>No code fits, or the peer sent one that nobody knows.</summary>
    Unknown = 2,

    /// <summary>The request says something that can never be right.</summary>
    InvalidArgument = 3,

    /// <summary>The client's <c>grpc-timeout</c> passed.</summary>
    DeadlineExceeded = 4,

    /// <summary>What was asked for does not exist.</summary>
    NotFound = 5,

    /// <summary>What was to be made exists.</summary>
    AlreadyExists = 6,

    /// <summary>The caller may not do this.</summary>
    PermissionDenied = 7,

    /// <summary>A bound was passed: a message too large, a queue full.</summary>
    ResourceExhausted = 8,

    /// <summary>Not in this state.</summary>
    FailedPrecondition = 9,

    /// <summary>Another came first.</summary>
    Aborted = 10,

    /// <summary>Past the end of something.</summary>
    OutOfRange = 11,

    /// <summary>This server does not do that.</summary>
    Unimplemented = 12,

    /// <summary>Bytes that are not what they should be, or a bug.</summary>
    Internal = 13,

    /// <summary>Not now: the server is going down, or cannot be reached.</summary>
    Unavailable = 14,

    /// <summary>Data are lost.</summary>
    DataLoss = 15,

    /// <summary>Who is asking is not known.</summary>
    Unauthenticated = 16,
}
