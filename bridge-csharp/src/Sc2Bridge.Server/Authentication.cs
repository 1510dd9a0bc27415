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
/// Says who a client is, by the token that it shows: <c>Authorization: Bearer TOKEN</c> (RFC 6750; gRPC's metadata), or
/// <c>?token=TOKEN</c> for browsers, which cannot set a WebSocket's headers.
/// </summary>
/// <remarks>ASP.NET's own authentication would bring its data protection, which writes keys to the user's folder.</remarks>
internal sealed class Authentication(BridgeServerOptions options)
{
    /// <summary>The query's parameter.</summary>
    public const string QueryParameter = "token";

    private const string Scheme = "Bearer ";

    private readonly ILogger _logger = options.LoggerFactory.CreateLogger<Authentication>();

    /// <summary>Lets an address's clients in that show no token.</summary>
    public static void AllowAnonymous(ListenOptions listen) => listen.Use(next => connection =>
    {
        connection.Features.Set(Anonymous.Allowed);
        return next(connection);
    });

    /// <summary>Who sent a request.</summary>
    /// <exception cref="RequestRefusedException">UNAUTHENTICATED: no token, an unknown one, or one that has expired.</exception>
    private Identity Identify(HttpContext http) => Identify(TokenOf(http.Request), http.Features.Get<Anonymous>() is not null);

    /// <summary>Who shows a token, or none.</summary>
    /// <param name="shown">The token; null: none.</param>
    /// <param name="allowsAnonymous">Whether none is needed where the client comes from.</param>
    /// <exception cref="RequestRefusedException">As above.</exception>
    public Identity Identify(string? shown, bool allowsAnonymous)
    {
        if (allowsAnonymous && (shown is null || options.Tokens.IsEmpty))
        {
            // A token where there is none to compare it with is meant for another bridge.
            return Identity.Anonymous;
        }

        var identity = options.Tokens.Find(shown ?? throw Refused(
                "this bridge takes a token: show it as 'authorization: Bearer TOKEN' (agents take it from "
                + "SC2BRIDGE_TOKEN), or a browser as ?token=TOKEN"))
            ?? throw Refused("this bridge does not know your token: use one that it was given, or has printed");
        return identity.Expires <= options.TimeProvider.GetUtcNow()
            ? throw Refused("your token has expired: ask who runs the bridge for another")
            : identity;
    }

    /// <summary>Whether a request comes from somebody who may connect.</summary>
    public bool Accepts(HttpContext http)
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
    /// Refuses requests of clients that may not connect, before their contents are read: 401, and UNAUTHENTICATED on gRPC.
    /// Other requests continue with the client's identity (<see cref="IdentityOf"/>).
    /// </summary>
    public void Guard(IApplicationBuilder app) => app.Use(RequireAsync);

    /// <summary>
    /// Guards the endpoints that are marked by <see cref="RequireToken"/>. Routing must come before it. It checks the
    /// endpoint that routing chose, not the path, because routing accepts several spellings of a path.
    /// </summary>
    public void GuardEndpoints(IApplicationBuilder app) =>
        app.UseWhen(http => http.GetEndpoint()?.Metadata.GetMetadata<TokenRequired>() is not null, Guard);

    /// <summary>Marks an endpoint for <see cref="GuardEndpoints"/>.</summary>
    public static void RequireToken(IEndpointConventionBuilder endpoint) => endpoint.WithMetadata(new TokenRequired());

    /// <summary>Who sent a request that was let on.</summary>
    public static Identity IdentityOf(HttpContext http) => http.Features.GetRequiredFeature<Identity>();

    private async Task RequireAsync(HttpContext http, RequestDelegate next)
    {
        try
        {
            http.Features.Set(Identify(http));
        }
        catch (RequestRefusedException refused)
        {
            new Refusal("token", refused.Message).Count();
            ServerLog.TokenRefused(_logger, http.Connection.RemoteIpAddress, refused.Message);
            http.Response.Headers.WWWAuthenticate = Scheme.Trim();
            await RefusalAnswer.WriteAsync(http, refused.Code, StatusCodes.Status401Unauthorized, refused.Message);
            return;
        }

        await next(http);
    }

    private static string? TokenOf(HttpRequest request)
    {
        if (request.Headers.Authorization is { Count: > 0 } shown)
        {
            return shown is [{ } header] && header.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase)
                ? header[Scheme.Length..].Trim()
                : throw Refused($"the header {HeaderNames.Authorization} is not of the form 'Bearer TOKEN'");
        }

        return request.Query[QueryParameter] is [{ } token] ? token : null;
    }

    private static RequestRefusedException Refused(string why) => new(StatusCode.Unauthenticated, why);

    // The mark of an endpoint that needs a token.
    private sealed class TokenRequired;

    // Of a connection that needs no token.
    private sealed class Anonymous
    {
        public static readonly Anonymous Allowed = new();
    }
}
