using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using Microsoft.Net.Http.Headers;
using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using StatusCode = Sc2Bridge.Streaming.StatusCode;

namespace Sc2Bridge.Server;

/// <summary>
/// Identifies a client by its token: <c>Authorization: Bearer TOKEN</c> (RFC 6750; gRPC's metadata), or <c>?token=TOKEN</c>
/// for browsers, which cannot set the headers of a WebSocket.
/// </summary>
/// <remarks>ASP.NET's own authentication is not used, because its data protection writes keys to the user's folder.</remarks>
internal sealed class Authentication(BridgeServerOptions options)
{
    /// <summary>The name of the query parameter.</summary>
    public const string QueryParameter = "token";

    private const string Scheme = "Bearer ";

    private readonly ILogger _logger = options.LoggerFactory.CreateLogger<Authentication>();

    /// <summary>Accepts clients without a token on an address.</summary>
    public static void AllowAnonymous(ListenOptions listen) => listen.Use(next => connection =>
    {
        connection.Features.Set(Anonymous.Allowed);
        return next(connection);
    });

    /// <summary>Identifies the sender of a request.</summary>
    /// <exception cref="RequestRefusedException">UNAUTHENTICATED: the token is missing, unknown or expired.</exception>
    private Identity Identify(HttpContext http) => Identify(TokenOf(http.Request), http.Features.Get<Anonymous>() is not null);

    /// <summary>Identifies the client with this token.</summary>
    /// <param name="token">The token; null if the client sent none.</param>
    /// <param name="allowsAnonymous">Whether the server address that the client uses requires no token.</param>
    /// <exception cref="RequestRefusedException">UNAUTHENTICATED: the token is missing, unknown or expired.</exception>
    public Identity Identify(string? token, bool allowsAnonymous)
    {
        if (allowsAnonymous && (token is null || options.Tokens.IsEmpty))
        {
            // If this bridge has no tokens, a token that the client sent is meant for another bridge. Such a token is ignored.
            return Identity.Anonymous;
        }

        var identity = options.Tokens.Find(token ?? throw Refused(
                "this bridge requires a token: send it as 'authorization: Bearer TOKEN' (agents read it from "
                + "SC2BRIDGE_TOKEN), or in a browser as ?token=TOKEN"))
            ?? throw Refused("this bridge does not know your token: use one from its configuration, or the one that it printed");
        return identity.Expires <= options.TimeProvider.GetUtcNow()
            ? throw Refused("your token has expired: ask the person who runs the bridge for a new one")
            : identity;
    }

    /// <summary>Whether the sender of a request may connect.</summary>
    public bool MayConnect(HttpContext http)
    {
        try
        {
            Identify(http);
            return true;
        }
        catch (RequestRefusedException)
        {
            return false;
        }
    }

    /// <summary>
    /// Refuses clients that may not connect, before their requests are read. The answer is 401, or UNAUTHENTICATED over gRPC.
    /// Other requests continue with the client's identity (<see cref="IdentityOf"/>).
    /// </summary>
    public void Guard(IApplicationBuilder app) => app.Use(RequireTokenAsync);

    /// <summary>
    /// Guards the endpoints that <see cref="RequireToken"/> has marked. Routing must come first, because the guard checks the
    /// endpoint that routing chose. The guard does not check the path, because routing accepts several spellings of a path.
    /// </summary>
    public void GuardEndpoints(IApplicationBuilder app) =>
        app.UseWhen(http => http.GetEndpoint()?.Metadata.GetMetadata<TokenRequired>() is not null, Guard);

    /// <summary>Marks an endpoint for <see cref="GuardEndpoints"/>.</summary>
    public static void RequireToken(IEndpointConventionBuilder endpoint) => endpoint.WithMetadata(new TokenRequired());

    /// <summary>The sender of an accepted request.</summary>
    public static Identity IdentityOf(HttpContext http) => http.Features.GetRequiredFeature<Identity>();

    private async Task RequireTokenAsync(HttpContext http, RequestDelegate next)
    {
        try
        {
            http.Features.Set(Identify(http));
        }
        catch (RequestRefusedException refused)
        {
            new Refusal("token", refused.Message).AddToMetrics();
            ServerLog.TokenRefused(_logger, http.Connection.RemoteIpAddress, refused.Message);
            http.Response.Headers.WWWAuthenticate = Scheme.Trim();

            // AllowedHosts has accepted this origin. A page of another origin can then read why its WebSocket was refused.
            http.Response.Headers.AccessControlAllowOrigin = http.Request.Headers.Origin;
            await RefusalAnswer.WriteAsync(http, refused.Code, StatusCodes.Status401Unauthorized, refused.Message);
            return;
        }

        await next(http);
    }

    private static string? TokenOf(HttpRequest request)
    {
        if (request.Headers.Authorization is { Count: > 0 } header)
        {
            return header is [{ } value] && value.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase)
                ? value[Scheme.Length..].Trim()
                : throw Refused($"the header {HeaderNames.Authorization} is not of the form 'Bearer TOKEN'");
        }

        return request.Query[QueryParameter] is [{ } token] ? token : null;
    }

    private static RequestRefusedException Refused(string why) => new(StatusCode.Unauthenticated, why);

    // Marks an endpoint that requires a token.
    private sealed class TokenRequired;

    // Marks a connection that requires no token.
    private sealed class Anonymous
    {
        public static readonly Anonymous Allowed = new();
    }
}
