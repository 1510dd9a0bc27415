using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Admission;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>The WebSocket for agents and browsers; proto/README.md documents its messages.</summary>
internal static class WebSocketTransport
{
    public const string Path = "/v1";

    /// <summary>Serves the hub at <see cref="Path"/>.</summary>
    public static void MapBridgeWebSocket(this WebApplication app)
    {
        app.UseWebSockets(new WebSocketOptions
        {
            KeepAliveInterval = TimeSpan.FromSeconds(30),

            // A killed client is noticed at once. This timeout is for a lost machine or link. It is long, because an
            // agent answers no ping while it computes on its reading thread.
            KeepAliveTimeout = TimeSpan.FromMinutes(5),
        });
        var services = app.Services;
        var shared = services.GetRequiredService<SessionServices>();
        var options = services.GetRequiredService<BridgeServerOptions>();
        var authentication = services.GetRequiredService<Authentication>();

        // Foxglove connects to an address without a path, and uses its own sub-protocols.
        app.UseWhen(http => http.Request.Path.Value is "" or "/" && IsFoxglove(http), foxglove =>
        {
            authentication.Guard(foxglove);
            foxglove.Run(http => ServeFoxgloveAsync(http, shared, options, app.Lifetime.ApplicationStopping));
        });
        Authentication.RequireToken(app.Map(Path, (RequestDelegate)(http => HttpProtocol.IsHttp2(http.Request.Protocol)
            ? RefusalAnswer.WriteAsync(http.Response, StatusCodes.Status404NotFound, "The WebSocket is served over HTTP/1.1 only: connect with HTTP/1.1.")
            : IsFoxglove(http) ? ServeFoxgloveAsync(http, shared, options, app.Lifetime.ApplicationStopping)
            : ServeAsync(http, shared, options, app.Lifetime.ApplicationStopping))));
    }

    private static bool IsFoxglove(HttpContext http) =>
        http.WebSockets.IsWebSocketRequest && FoxgloveOf(http) is not null
        && !HttpProtocol.IsHttp2(http.Request.Protocol) && SubProtocol.Choose(http.WebSockets.WebSocketRequestedProtocols) is null;

    private static string? FoxgloveOf(HttpContext http) => http.WebSockets.WebSocketRequestedProtocols.FirstOrDefault(
        offered => offered is FoxgloveSession.Sdk or FoxgloveSession.WebSocketV1);

    private static async Task ServeFoxgloveAsync(
        HttpContext http, SessionServices services, BridgeServerOptions options, CancellationToken stopping)
    {
        using var socket = await http.WebSockets.AcceptWebSocketAsync(new WebSocketAcceptContext
        {
            SubProtocol = FoxgloveOf(http),
            DangerousEnableCompression = options.AllowDeflate && OffersDeflate(http.Request),
        });
        using var session = new FoxgloveSession(socket, http, services);
        await session.RunAsync(stopping, http.RequestAborted);
    }

    private static async Task ServeAsync(
        HttpContext context, SessionServices services, BridgeServerOptions options, CancellationToken stopping)
    {
        if (!context.WebSockets.IsWebSocketRequest)
        {
            context.Response.Headers.Upgrade = "websocket";
            await RefusalAnswer.WriteAsync(
                context.Response,
                StatusCodes.Status426UpgradeRequired,
                $"This is a WebSocket: connect to it with {(context.Request.IsHttps ? "wss" : "ws")}:// and sub-protocol {SupportedSubProtocols}.");
            return;
        }

        var subProtocol = SubProtocol.Choose(context.WebSockets.WebSocketRequestedProtocols);
        if (subProtocol is null && SubProtocol.ChooseOld(context.WebSockets.WebSocketRequestedProtocols) is { } old)
        {
            using var refused = await context.WebSockets.AcceptWebSocketAsync(old.Name);
            await OldClients.RefuseAsync(refused, old);
            return;
        }

        if (subProtocol is null)
        {
            await RefusalAnswer.WriteAsync(
                context.Response, StatusCodes.Status400BadRequest, $"Offer a sub-protocol that this bridge speaks: {SupportedSubProtocols}.");
            return;
        }

        // The option is named "Dangerous", because compressing secrets together with an attacker's text reveals the
        // secrets (CRIME, BREACH). An observation contains no secret, and each connection has its own compression window.
        var deflates = options.AllowDeflate && OffersDeflate(context.Request);
        using var socket = await context.WebSockets.AcceptWebSocketAsync(new WebSocketAcceptContext
        {
            SubProtocol = subProtocol.Name,
            DangerousEnableCompression = deflates,
        });
        var channel = new WebSocketChannel(socket, subProtocol, deflates, context.Features.Get<SendBacklog>());
        var (address, port) = (context.Connection.RemoteIpAddress, context.Connection.RemotePort);
        var client = new SessionClient(
            Authentication.IdentityOf(context), address, new ClientLimits(services.Hub, address, port).AdmitBeforeSubscription);
        using var session = new AgentSession(channel, client, services);
        await session.RunAsync(stopping, context.RequestAborted);
    }

    private static string SupportedSubProtocols => $"{SubProtocol.Json.Name} (text) or {SubProtocol.Proto.Name} (binary)";

    private static bool OffersDeflate(HttpRequest request) =>
        request.Headers.SecWebSocketExtensions.Any(
            value => value?.Contains("permessage-deflate", StringComparison.OrdinalIgnoreCase) is true);
}
