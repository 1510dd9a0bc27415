namespace Sc2Bridge.Server;

/// <summary>Names of gRPC over HTTP/2, and the bridge's one of its own.</summary>
public static class GrpcHeaders
{
    /// <summary>The content type of every request and response.</summary>
    public const string ContentType = "application/grpc";

    /// <summary>Metadata by which a client asks for compressed messages: <c>identity</c> (the default) or <c>gzip</c>.</summary>
    /// <remarks>
    /// Every gRPC library says in <c>grpc-accept-encoding</c> that it reads gzip, whether or not anybody wants it, and
    /// on a 160 KiB observation gzip costs more than a local link does. So the bridge compresses for those who ask.
    /// </remarks>
    public const string Compression = "sc2bridge-compression";

    /// <summary>The compressions that the bridge reads and writes, as <see cref="AcceptEncoding"/> lists them.</summary>
    public const string Encodings = "identity,gzip";

    internal const string AcceptEncoding = "grpc-accept-encoding";
    internal const string Encoding = "grpc-encoding";
    internal const string Message = "grpc-message";
    internal const string Status = "grpc-status";
    internal const string Timeout = "grpc-timeout";

    /// <summary>Whether a content type is gRPC with protobuf messages.</summary>
    internal static bool IsGrpc(string? contentType)
    {
        if (contentType is null || !contentType.StartsWith(ContentType, StringComparison.OrdinalIgnoreCase))
        {
            return false;
        }

        var rest = contentType.AsSpan(ContentType.Length);
        var end = rest.IndexOf(';');
        rest = (end < 0 ? rest : rest[..end]).TrimEnd();
        return rest.IsEmpty || rest.Equals("+proto", StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>Whether a comma-separated list holds a name.</summary>
    internal static bool Lists(string? list, string name)
    {
        foreach (var part in (list ?? "").Split(',', StringSplitOptions.TrimEntries))
        {
            if (part.Equals(name, StringComparison.OrdinalIgnoreCase))
            {
                return true;
            }
        }

        return false;
    }
}
