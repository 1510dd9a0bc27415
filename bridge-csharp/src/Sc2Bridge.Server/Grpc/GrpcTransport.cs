using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>The bridge's calls over gRPC, with health and reflection, on Kestrel's HTTP/2.</summary>
public static class GrpcTransport
{
    /// <summary>
    /// Streams that one connection may have at a time; past them a client's next stream waits without a word (Kestrel's
    /// own limit is 100). An agent has one or two; each costs memory, for anyone who asks.
    /// </summary>
    public const int MostStreams = 2000;

    /// <summary>Serves every HTTP/2 request as a gRPC call; other requests go on to what is mapped after this.</summary>
    /// <param name="app">The application.</param>
    /// <param name="hub">What the calls are about.</param>
    /// <param name="shared">What compressing subscribers of all transports share.</param>
    public static void MapGrpc(this WebApplication app, Hub hub, SharedCompression shared)
    {
        ArgumentNullException.ThrowIfNull(app);
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(shared);
        var methods = Methods(hub, shared);
        var stopping = app.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping;
        app.Use(next => http =>
            HttpProtocol.IsHttp2(http.Request.Protocol) ? ServeAsync(http, methods, stopping) : next(http));
    }

    /// <summary>Kestrel's limits for long streams of large messages.</summary>
    public static void ConfigureGrpc(this KestrelServerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        var limits = options.Limits;

        // A stream lasts as long as a match, and a stopped one is the subscriber's policy, not an attack.
        limits.MaxRequestBodySize = null;
        limits.MinRequestBodyDataRate = null;
        limits.MinResponseDataRate = null;

        // What may wait for one stopped reader beyond its flow-control window.
        limits.MaxResponseBufferSize = 1 << 20;

        limits.Http2.MaxStreamsPerConnection = MostStreams;
        limits.Http2.MaxFrameSize = 1 << 20;

        // A client that was killed is noticed at once; this is for one whose machine or link vanished. As long as the
        // WebSocket's: an agent that thinks on the thread that reads (Node) answers no ping meanwhile.
        limits.Http2.KeepAlivePingDelay = TimeSpan.FromSeconds(30);
        limits.Http2.KeepAlivePingTimeout = TimeSpan.FromMinutes(5);
        options.AddServerHeader = false;
    }

    private static Dictionary<string, Func<GrpcCall, Task>> Methods(Hub hub, SharedCompression shared)
    {
        var index = new DescriptorIndex(
            V1.BridgeReflection.Descriptor,
            Health.HealthReflection.Descriptor,
            ReflectionV1.ReflectionReflection.Descriptor,
            ReflectionV1Alpha.ReflectionReflection.Descriptor);
        var bridge = new BridgeService(hub, shared);
        var health = new HealthService(index.Services.ToHashSet());
        var reflection = new ReflectionService(index);
        return new()
        {
            [$"/{BridgeService.Name}/Describe"] = bridge.DescribeAsync,
            [$"/{BridgeService.Name}/Subscribe"] = bridge.SubscribeAsync,
            [$"/{BridgeService.Name}/Play"] = bridge.PlayAsync,
            [$"/{BridgeService.Name}/Request"] = bridge.RequestAsync,
            [$"/{BridgeService.Name}/Control"] = bridge.ControlAsync,
            [$"/{HealthService.Name}/Check"] = health.CheckAsync,
            [$"/{HealthService.Name}/Watch"] = health.WatchAsync,
            [$"/{ReflectionService.Name}/ServerReflectionInfo"] = reflection.InfoAsync,
            [$"/{ReflectionService.OlderName}/ServerReflectionInfo"] = reflection.InfoAsync,
        };
    }

    private static async Task ServeAsync(
        HttpContext http, Dictionary<string, Func<GrpcCall, Task>> methods, CancellationToken stopping)
    {
        if (!HttpMethods.IsPost(http.Request.Method))
        {
            http.Response.StatusCode = StatusCodes.Status405MethodNotAllowed;
            http.Response.Headers.Allow = HttpMethods.Post;
            return;
        }

        if (!GrpcHeaders.IsGrpc(http.Request.ContentType))
        {
            http.Response.StatusCode = StatusCodes.Status415UnsupportedMediaType;
            return;
        }

        using var call = new GrpcCall(http, stopping);
        var (code, message) = await OutcomeAsync(call, http.Request.Path.Value ?? "", methods);
        call.Finish(code, message);
    }

    private static async Task<(GrpcCode Code, string Message)> OutcomeAsync(
        GrpcCall call, string path, Dictionary<string, Func<GrpcCall, Task>> methods)
    {
        try
        {
            if (!methods.TryGetValue(path, out var method))
            {
                return (GrpcCode.Unimplemented, $"There is no method '{path}' here.");
            }

            call.Open();
            await method(call);
            return (GrpcCode.Ok, "");
        }
        catch (GrpcException refused)
        {
            return (refused.Code, refused.Message);
        }
        catch (RequestRefusedException refused)
        {
            return ((GrpcCode)refused.Code, refused.Message);
        }
        catch (Exception ended) when (call.Token.IsCancellationRequested || ended is OperationCanceledException)
        {
            var why = call.Ending();
            return (why.Code, why.Message);
        }
#pragma warning disable CA1031 // One call's failure must not reach the server, and its client must hear of it.
        catch (Exception problem)
        {
            return (GrpcCode.Internal, $"The bridge failed: {problem.Message}");
        }
#pragma warning restore CA1031
    }
}
