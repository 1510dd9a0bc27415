using System.IO.Compression;
using Grpc.Core;
using Grpc.Net.Compression;
using Microsoft.AspNetCore.Http;

namespace Sc2Bridge.Server;

/// <summary>
/// gzip, for those who ask. Every gRPC library says in <c>grpc-accept-encoding</c> that it reads gzip, whether or not
/// anybody wants it, and on a 160 KiB observation gzip costs more than a local link does: so the bridge compresses for
/// those who say so in their metadata.
/// </summary>
internal sealed class GrpcCompression : ICompressionProvider
{
    /// <summary>The metadata: <c>identity</c> (the default) or <c>gzip</c>.</summary>
    public const string Metadata = "sc2bridge-compression";

    /// <summary>The longest message that the bridge reads from a client, in bytes, before and after decompression.</summary>
    public const int LongestMessage = 4 << 20;

    public const string Gzip = "gzip";

    public string EncodingName => Gzip;

    /// <summary>Sees to it that a call's messages are compressed where its client asks for that.</summary>
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

    /// <inheritdoc/>
    /// <remarks>
    /// The fastest level: on observations the better ones cost several times as much for a tenth fewer bytes.
    /// </remarks>
    public Stream CreateCompressionStream(Stream stream, CompressionLevel? compressionLevel) =>
        new GZipStream(stream, CompressionLevel.Fastest, leaveOpen: true);

    /// <inheritdoc/>
    /// <remarks>The library's own decompresses without a bound: 4 MiB could become 4 GiB.</remarks>
    public Stream CreateDecompressionStream(Stream stream) => new BoundedGzip(stream);

    private sealed class BoundedGzip(Stream compressed) : GZipStream(compressed, CompressionMode.Decompress)
    {
        public override void CopyTo(Stream destination, int bufferSize)
        {
            var buffer = new byte[bufferSize];
            var total = 0;
            for (int read; (read = Read(buffer)) > 0;)
            {
                total += read;
                if (total > LongestMessage)
                {
                    throw new RpcException(new Status(
                        StatusCode.ResourceExhausted, $"A compressed message is longer than the {LongestMessage} bytes that are read."));
                }

                destination.Write(buffer, 0, read);
            }
        }
    }
}
