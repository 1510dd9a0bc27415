using Grpc.Core;
using Microsoft.AspNetCore.Http;

namespace Sc2Bridge.Server;

/// <summary>
/// gzip, for clients that ask for it. Every gRPC library says in <c>grpc-accept-encoding</c> that it reads gzip, wanted
/// or not, and on a 160 KiB observation gzip costs more than a local link does: so the bridge compresses only for
/// clients that ask in their metadata.
/// </summary>
internal static class GrpcCompression
{
    /// <summary>The metadata: <c>identity</c> (the default) or <c>gzip</c>.</summary>
    public const string Metadata = "sc2bridge-compression";

    /// <summary>The one compression that every gRPC client reads.</summary>
    public const string Gzip = "gzip";

    /// <summary>Compresses a call's messages where its client asks for that.</summary>
    /// <exception cref="RpcException">UNIMPLEMENTED: it asks for another compression.</exception>
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

    /// <summary>Sends this call's messages as they are.</summary>
    public static void TurnOff(ServerCallContext context) => context.WriteOptions = new WriteOptions(WriteFlags.NoCompress);
}
