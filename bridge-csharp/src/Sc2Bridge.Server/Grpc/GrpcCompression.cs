using Grpc.Core;
using Microsoft.AspNetCore.Http;

namespace Sc2Bridge.Server;

/// <summary>
/// Compresses with gzip for clients that ask for gzip. Every gRPC library announces gzip in <c>grpc-accept-encoding</c>,
/// even if its program does not want gzip. Compressing an observation of 160 KiB takes longer than sending the uncompressed
/// observation over a local link. So the bridge compresses only for clients that ask for gzip in their metadata.
/// </summary>
internal static class GrpcCompression
{
    /// <summary>The metadata key. Values: <c>identity</c> (the default) or <c>gzip</c>.</summary>
    public const string Metadata = "sc2bridge-compression";

    /// <summary>The only compression that every gRPC client supports.</summary>
    public const string Gzip = "gzip";

    /// <summary>Compresses a call's messages if the client asks for gzip.</summary>
    /// <exception cref="RpcException">UNIMPLEMENTED: the client asks for another compression.</exception>
    public static void Choose(ServerCallContext context)
    {
        switch (context.RequestHeaders.GetValue(Metadata))
        {
            case Gzip:
                break;
            case null or "" or "identity":
                TurnOff(context);
                break;
            case var other:
                throw new RpcException(
                    new Status(StatusCode.Unimplemented, $"{Metadata} '{other}': choose one of identity,{Gzip}."));
        }
    }

    /// <summary>Whether this call's messages are compressed.</summary>
    public static bool IsOn(ServerCallContext context) =>
        context.WriteOptions is null
        && context.GetHttpContext().Response.Headers["grpc-encoding"].ToString() == Gzip;

    /// <summary>Turns compression of this call's messages off.</summary>
    public static void TurnOff(ServerCallContext context) => context.WriteOptions = new WriteOptions(WriteFlags.NoCompress);
}
