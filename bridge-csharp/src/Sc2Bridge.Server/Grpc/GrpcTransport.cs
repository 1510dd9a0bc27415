using System.IO.Compression;
using Grpc.Health.V1;
using Grpc.Net.Compression;
using Grpc.Reflection;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Sc2Bridge.Admission;
using ProtobufService = Google.Protobuf.Reflection.ServiceDescriptor;
using ReflectionV1 = Grpc.Reflection.V1.ServerReflection;
using ReflectionV1Alpha = Grpc.Reflection.V1Alpha.ServerReflection;

namespace Sc2Bridge.Server;

/// <summary>The bridge's calls over gRPC, with the health and reflection services, on Kestrel's HTTP/2.</summary>
internal static class GrpcTransport
{
    // The longest request of the health and reflection services. These services are open to every client, and an unfinished
    // message stays in memory.
    private const int LongestOpenRequest = 4 << 10;

    /// <summary>Adds the gRPC services. The hub and the services that transports share must be added separately.</summary>
    public static void AddBridgeGrpc(this IServiceCollection services)
    {
        services.AddSingleton<GrpcBridge>();
        services.AddSingleton<StatusInterceptor>();
        services.AddSingleton<ReflectionPlaces>();
        services
            .AddGrpc(grpc =>
            {
                grpc.MaxReceiveMessageSize = LongestOpenRequest;

                // The compression that calls may use. GrpcCompression decides for each call.
                grpc.ResponseCompressionAlgorithm = GrpcCompression.Gzip;
                // Higher gzip levels take several times as long for an observation, and save only a tenth of the bytes.
                grpc.CompressionProviders = [new GzipCompressionProvider(CompressionLevel.Fastest)];
            })
            .AddServiceOptions<GrpcBridge>(bridge =>
            {
                bridge.MaxReceiveMessageSize = SessionLimits.LongestMessage;
                bridge.Interceptors.Add<StatusInterceptor>();
            })
            .AddServiceOptions<ReflectionServiceImpl>(reflection => reflection.Interceptors.Add<ReflectionPlaces>())
            .AddServiceOptions<ReflectionV1ServiceImpl>(reflection => reflection.Interceptors.Add<ReflectionPlaces>());

        // The services are listed here, because the gRPC package would find them by .NET reflection, which native builds restrict.
        IEnumerable<ProtobufService> served =
            [BridgeMethods.Descriptor, Health.Descriptor, ReflectionV1.Descriptor, ReflectionV1Alpha.Descriptor];
        services.AddSingleton(new ReflectionServiceImpl(served));
        services.AddSingleton(new ReflectionV1ServiceImpl(served));

        services.AddGrpcHealthChecks(health => health.Services.Map(BridgeMethods.Descriptor.FullName, _ => true));
    }

    public static void MapBridgeGrpc(this WebApplication app)
    {
        var admission = app.Services.GetRequiredService<ConnectionAdmission>();
        app.ReservePlacesForPlay(admission, app.Lifetime.ApplicationStopping);
        app.UseWhen(
            http => HttpProtocol.IsHttp2(http.Request.Protocol),
            http2 =>
            {
                CountedBody.Use(http2);
                UnreadAnswers.Use(http2, app.Services.GetRequiredService<BridgeServerOptions>().UnreadTimeout);
                BoundedBody.Use(http2, admission.Unfinished);
            });
        Authentication.RequireToken(app.MapGrpcService<GrpcBridge>());
        OldClients.Map(app);
        app.MapGrpcService<ReflectionServiceImpl>();
        app.MapGrpcService<ReflectionV1ServiceImpl>();
        app.MapGrpcHealthChecksService();
    }

    /// <summary>Sets Kestrel's limits for long streams of large messages.</summary>
    public static void ConfigureGrpc(this KestrelServerOptions options)
    {
        var limits = options.Limits;

        // A stream lasts as long as a match. If a client stops reading, its subscriber's policy decides what
        // happens. Slow reading is not an attack.
        limits.MaxRequestBodySize = null;
        limits.MinRequestBodyDataRate = null;
        limits.MinResponseDataRate = null;

        // The most bytes that are buffered for a client that stops reading, in addition to its flow-control window.
        limits.MaxResponseBufferSize = 1 << 20;

        limits.Http2.MaxFrameSize = 1 << 20;

        // Pings detect a client program that hangs. Pings do not detect a lost machine or link: a ping behind unread frames is
        // never written, and Kestrel's timeout starts when the ping is written. The admission code detects these losses. The
        // timeout is as long as for the WebSocket, because a Node agent answers no ping while it computes on its reading thread.
        limits.Http2.KeepAlivePingDelay = TimeSpan.FromSeconds(30);
        limits.Http2.KeepAlivePingTimeout = TimeSpan.FromMinutes(5);
        options.AddServerHeader = false;
    }
}
