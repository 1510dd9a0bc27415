using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Sc2Bridge.Admission;

namespace Sc2Bridge.Server;

/// <summary>
/// Serves the static files of the live page. They contain no match data, so they require no token. The data comes over
/// the WebSocket, which requires a token.
/// </summary>
internal static class PageEndpoints
{
    private const string IndexFile = "index.html";

    // The page loads only from this server and sends only to it, and no other page may show it in a frame.
    private const string ContentPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
        + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static readonly string[] _methods = [HttpMethods.Get, HttpMethods.Head];

    // Created on the first request, because the page of most bridges is never opened.
    private static readonly Lazy<Dictionary<string, PageFile>> _builtFiles =
        new(() => PageFile.LoadBuilt().ToDictionary(file => file.Name));

    public static void MapPage(this WebApplication app)
    {
        var options = app.Services.GetRequiredService<BridgeServerOptions>();
        if (!options.ServesPage)
        {
            return;
        }

        var files = options.PageFiles is { } given
            ? new Lazy<Dictionary<string, PageFile>>(given.ToDictionary(file => file.Name)) : _builtFiles;
        var answers = app.Services.GetRequiredService<StrangerAnswers>();
        app.MapMethods("/{**name}", _methods, http => ServeAsync(http, files.Value, answers));
    }

    private static async Task ServeAsync(HttpContext http, Dictionary<string, PageFile> files, StrangerAnswers answers)
    {
        var name = (string?)http.Request.RouteValues["name"] ?? IndexFile;
        if (HttpProtocol.IsHttp2(http.Request.Protocol) || !files.TryGetValue(name, out var file))
        {
            await RefusalAnswer.WriteAsync(http.Response, StatusCodes.Status404NotFound, "File not found.");
            return;
        }

        var headers = http.Response.Headers;
        headers.ContentSecurityPolicy = ContentPolicy;
        headers.XContentTypeOptions = "nosniff";
        headers["Referrer-Policy"] = "no-referrer";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";

        // Browsers must revalidate each time, because the next bridge at this address may have another page. An unchanged
        // file is not sent again.
        headers.CacheControl = "no-cache";
        if (HttpMethods.IsHead(http.Request.Method))
        {
            await file.WriteAsync(http);
        }
        else if (!await answers.SendAsync(http, () => file.WriteAsync(http)))
        {
            await RefusalAnswer.WriteAsync(http.Response, StatusCodes.Status503ServiceUnavailable, StrangerAnswers.BusyMessage);
        }
    }
}
