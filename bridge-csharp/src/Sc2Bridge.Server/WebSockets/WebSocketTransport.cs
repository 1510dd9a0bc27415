using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>The WebSocket for agents and browsers; proto/README.md says what travels on it.</summary>
public static class WebSocketTransport
{
    /// <summary>Where it is served.</summary>
    public const string Path = "/v1";

    /// <summary>Serves the hub at <see cref="Path"/>.</summary>
    /// <param name="app">Not yet started.</param>
    /// <param name="hub">What agents subscribe to.</param>
    /// <param name="shared">What compressing subscribers of all transports share.</param>
    /// <param name="options">How clients are treated.</param>
    public static void MapWebSocket(
        this WebApplication app, Hub hub, SharedCompression shared, WebSocketTransportOptions options)
    {
        ArgumentNullException.ThrowIfNull(app);
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(shared);
        ArgumentNullException.ThrowIfNull(options);
        app.UseWebSockets(new Microsoft.AspNetCore.Builder.WebSocketOptions
        {
            KeepAliveInterval = options.KeepAliveInterval,
            KeepAliveTimeout = options.KeepAliveTimeout,
        });
        app.Map(Path, (RequestDelegate)(context => ServeAsync(context, hub, shared, options, app.Lifetime.ApplicationStopping)));
    }

    private static async Task ServeAsync(
        HttpContext context,
        Hub hub,
        SharedCompression shared,
        WebSocketTransportOptions options,
        CancellationToken stopping)
    {
        var refusal = OriginCheck.Refusal(
            context.Request.Headers.Origin, context.Request.Host, context.Connection.LocalIpAddress, options.AllowedOrigins);
        if (refusal is not null)
        {
            await RefuseAsync(context, StatusCodes.Status403Forbidden, refusal);
            return;
        }

        if (!context.WebSockets.IsWebSocketRequest)
        {
            context.Response.Headers.Upgrade = "websocket";
            await RefuseAsync(
                context,
                StatusCodes.Status426UpgradeRequired,
                $"This is a WebSocket: connect to it with ws:// and sub-protocol {Both}.");
            return;
        }

        var form = SubProtocol.Choose(context.WebSockets.WebSocketRequestedProtocols);
        if (form is null)
        {
            await RefuseAsync(
                context, StatusCodes.Status400BadRequest, $"Offer a sub-protocol that this bridge speaks: {Both}.");
            return;
        }

        // "Dangerous" where secrets and an attacker's text are compressed together (CRIME, BREACH): an observation holds
        // no secret, and each connection has a window of its own.
        var deflates = options.AllowDeflate && OffersDeflate(context.Request);
        using var socket = await context.WebSockets.AcceptWebSocketAsync(new WebSocketAcceptContext
        {
            SubProtocol = form.Name,
            DangerousEnableCompression = deflates,
        });
        using var session = new WebSocketSession(
            socket, hub, shared, form, deflates, context.Features.Get<SendBacklog>(),
            new ClientLimits(hub, context.Connection), options);
        await session.RunAsync(stopping, context.RequestAborted);
    }

    private static string Both => $"{SubProtocol.Json.Name} (text) or {SubProtocol.Proto.Name} (binary)";

    private static bool OffersDeflate(HttpRequest request) =>
        request.Headers.SecWebSocketExtensions.Any(
            value => value?.Contains("permessage-deflate", StringComparison.OrdinalIgnoreCase) is true);

    private static Task RefuseAsync(HttpContext context, int status, string line)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "text/plain; charset=utf-8";
        return context.Response.WriteAsync(line + "\n");
    }
}
