using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Sc2Bridge.Admission;

namespace Sc2Bridge.Server;

/// <summary>
/// The live page: static files that hold nothing of a match, and so take no token. What they show comes by the WebSocket,
/// which does.
/// </summary>
internal static class PageEndpoints
{
    private const string FirstFile = "index.html";

    // It loads nothing from elsewhere, sends nothing elsewhere, and no other page shows it in a frame.
    private const string ContentPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
        + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static readonly string[] _methods = [HttpMethods.Get, HttpMethods.Head];

    // Made when it is first asked for: most bridges are never looked at.
    private static readonly Lazy<Dictionary<string, PageFile>> _built =
        new(() => PageFile.LoadBuilt().ToDictionary(file => file.Name));

    /// <summary>Serves it on the web address.</summary>
    public static void MapPage(this WebApplication app)
    {
        var options = app.Services.GetRequiredService<BridgeServerOptions>();
        if (!options.ServesPage)
        {
            return;
        }

        var files = options.PageFiles is { } given
            ? new Lazy<Dictionary<string, PageFile>>(given.ToDictionary(file => file.Name)) : _built;
        var answers = app.Services.GetRequiredService<StrangerAnswers>();
        app.MapMethods("/{**name}", _methods, http => ServeAsync(http, files.Value, answers));
    }

    private static async Task ServeAsync(HttpContext http, Dictionary<string, PageFile> files, StrangerAnswers answers)
    {
        var name = (string?)http.Request.RouteValues["name"] ?? FirstFile;
        if (HttpProtocol.IsHttp2(http.Request.Protocol) || !files.TryGetValue(name, out var file))
        {
            await RefusalAnswer.WriteAsync(http.Response, StatusCodes.Status404NotFound, "There is no such file.");
            return;
        }

        var headers = http.Response.Headers;
        headers.ContentSecurityPolicy = ContentPolicy;
        headers.XContentTypeOptions = "nosniff";
        headers["Referrer-Policy"] = "no-referrer";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";

        // Asked for anew each time, and not sent where it is the same: the next bridge at this address may have another.
        headers.CacheControl = "no-cache";
        if (HttpMethods.IsHead(http.Request.Method))
        {
            await file.WriteAsync(http);
        }
        else if (!await answers.SendAsync(http, () => file.WriteAsync(http)))
        {
            await RefusalAnswer.WriteAsync(http.Response, StatusCodes.Status503ServiceUnavailable, StrangerAnswers.Busy);
        }
    }
}
