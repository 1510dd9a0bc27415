using System.IO.Compression;
using Grpc.Net.Compression;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Sc2Bridge.Server;

/// <summary>The bridge's calls over gRPC, with health and reflection, on Kestrel's HTTP/2.</summary>
internal static class GrpcTransport
{
    /// <summary>
    /// Streams that one connection may have at a time; past them a client's next stream waits without a word (Kestrel's
    /// own limit is 100). An agent has one or two; each costs memory, for anyone who asks.
    /// </summary>
    public const int MostStreams = 2000;

    /// <summary>Adds the services of the calls, beside the hub and what transports share.</summary>
    public static void AddBridgeGrpc(this IServiceCollection services)
    {
        services.AddSingleton<BridgeService>();
        services.AddSingleton<StatusInterceptor>();
        services
            .AddGrpc(grpc =>
            {
                grpc.MaxReceiveMessageSize = GrpcCompression.LongestMessage;

                // Names the compression that may be used; each call says whether it is.
                grpc.ResponseCompressionAlgorithm = GrpcCompression.Gzip;
                // On observations the better levels cost several times as much for a tenth fewer bytes.
                grpc.CompressionProviders = [new GzipCompressionProvider(CompressionLevel.Fastest)];
            })
            .AddServiceOptions<BridgeService>(bridge => bridge.Interceptors.Add<StatusInterceptor>());
        services.AddGrpcReflection();

        services.AddGrpcHealthChecks(health => health.Services.Map(BridgeMethods.Descriptor.FullName, _ => true));
    }

    /// <summary>Serves them.</summary>
    public static void MapBridgeGrpc(this WebApplication app)
    {
        app.UseWhen(http => HttpProtocol.IsHttp2(http.Request.Protocol), CountedBody.Use);
        app.MapGrpcService<BridgeService>();
        app.MapGrpcReflectionService();
        app.MapGrpcHealthChecksService();
    }

    /// <summary>Kestrel's limits for long streams of large messages.</summary>
    public static void ConfigureGrpc(this KestrelServerOptions options)
    {
        var limits = options.Limits;

        // A stream lasts as long as a match, and a stopped one is the subscriber's policy, not an attack.
        limits.MaxRequestBodySize = null;
        limits.MinRequestBodyDataRate = null;
        limits.MinResponseDataRate = null;

        // The most bytes buffered for one stopped reader beyond its flow-control window.
        limits.MaxResponseBufferSize = 1 << 20;

        limits.Http2.MaxStreamsPerConnection = MostStreams;
        limits.Http2.MaxFrameSize = 1 << 20;

        // A client that was killed is noticed at once; this is for one whose machine or link vanished. As long as the
        // WebSocket's: an agent that thinks on the thread that reads (Node) answers no ping meanwhile.
        limits.Http2.KeepAlivePingDelay = TimeSpan.FromSeconds(30);
        limits.Http2.KeepAlivePingTimeout = TimeSpan.FromMinutes(5);
        options.AddServerHeader = false;
    }
}
