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

/// <summary>The bridge's calls over gRPC, with health and reflection, on Kestrel's HTTP/2.</summary>
internal static class GrpcTransport
{
    // Of health and reflection, which are asked by a name, and by whoever comes: what of a message has come is held until
    // it is whole.
    private const int LongestQuestion = 4 << 10;

    /// <summary>Adds the services of the calls, beside the hub and what transports share.</summary>
    public static void AddBridgeGrpc(this IServiceCollection services)
    {
        services.AddSingleton<GrpcBridge>();
        services.AddSingleton<StatusInterceptor>();
        services.AddSingleton<ReflectionPlaces>();
        services
            .AddGrpc(grpc =>
            {
                grpc.MaxReceiveMessageSize = LongestQuestion;

                // Names the compression that may be used; each call says whether it is.
                grpc.ResponseCompressionAlgorithm = GrpcCompression.Gzip;
                // On observations the better levels cost several times as much for a tenth fewer bytes.
                grpc.CompressionProviders = [new GzipCompressionProvider(CompressionLevel.Fastest)];
            })
            .AddServiceOptions<GrpcBridge>(bridge =>
            {
                bridge.MaxReceiveMessageSize = SessionLimits.LongestMessage;
                bridge.Interceptors.Add<StatusInterceptor>();
            })
            .AddServiceOptions<ReflectionServiceImpl>(reflection => reflection.Interceptors.Add<ReflectionPlaces>())
            .AddServiceOptions<ReflectionV1ServiceImpl>(reflection => reflection.Interceptors.Add<ReflectionPlaces>());

        // What is served is named: the package that finds it out looks into the services by reflection.
        IEnumerable<ProtobufService> served =
            [BridgeMethods.Descriptor, Health.Descriptor, ReflectionV1.Descriptor, ReflectionV1Alpha.Descriptor];
        services.AddSingleton(new ReflectionServiceImpl(served));
        services.AddSingleton(new ReflectionV1ServiceImpl(served));

        services.AddGrpcHealthChecks(health => health.Services.Map(BridgeMethods.Descriptor.FullName, _ => true));
    }

    /// <summary>Serves them.</summary>
    public static void MapBridgeGrpc(this WebApplication app)
    {
        var admission = app.Services.GetRequiredService<ConnectionAdmission>();
        app.TakePlaces(admission, app.Lifetime.ApplicationStopping);
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

        limits.Http2.MaxFrameSize = 1 << 20;

        // For a program that hangs; a machine or link that vanished is noticed by admission: Kestrel waits until its ping
        // is written, which it never is where frames before it wait for a reader, and looks at no deadline meanwhile. As
        // long as the WebSocket's: an agent that thinks on the thread that reads (Node) answers no ping meanwhile.
        limits.Http2.KeepAlivePingDelay = TimeSpan.FromSeconds(30);
        limits.Http2.KeepAlivePingTimeout = TimeSpan.FromMinutes(5);
        options.AddServerHeader = false;
    }
}
