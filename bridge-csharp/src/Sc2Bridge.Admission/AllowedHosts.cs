using System.Net;
using Microsoft.AspNetCore.Http;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>
/// By which names clients may call this server, and which web pages may. A browser lets any page open a WebSocket to
/// any host and only names the page's origin (RFC 6455, 10.2): without this a page from anywhere could read a match, or
/// play it, on the visitor's machine. A foreign name that resolves to this machine (DNS rebinding) is "the same host" to
/// a browser: so only names that are known to be this machine's are.
/// </summary>
/// <param name="hosts">Further names, without ports; <c>*</c> allows any.</param>
/// <param name="origins">Origins of pages from elsewhere that may connect; <c>*</c> allows any.</param>
/// <param name="localPages">Whether any page that this machine serves may connect to it.</param>
public sealed class AllowedHosts(IEnumerable<string> hosts, IEnumerable<string> origins, bool localPages)
{
    private readonly HashSet<string> _hosts =
        [.. hosts.Append(Dns.GetHostName()).Select(host => host.Trim('[', ']').ToUpperInvariant())];

    private readonly HashSet<string> _origins = [.. origins.Select(origin => origin.TrimEnd('/').ToUpperInvariant())];

    /// <summary>Why a request is refused; null where it is not.</summary>
    /// <param name="request">It.</param>
    /// <param name="isSocketFile">Whether it came by a Unix socket, which no page can reach.</param>
    public Refusal? Check(HttpRequest request, bool isSocketFile)
    {
        ArgumentNullException.ThrowIfNull(request);
        return isSocketFile ? null : Check(request.Host, request.Headers.Origin);
    }

    /// <summary>The same of the two headers.</summary>
    internal Refusal? Check(HostString host, string? origin)
    {
        if (!IsKnown(host.Host))
        {
            return new(
                "host", $"This server is not known as {Shown(host.Value)}: use its address, or allow the name with --allow-host.");
        }

        return string.IsNullOrEmpty(origin) || IsAllowed(origin, host) ? null : new(
            "origin",
            $"Pages of {Shown(origin)} may not connect to {Shown(host.Value)}: add that origin with --allow-origin to let them.");
    }

    // Only old clients send no host; a browser always does.
    private bool IsKnown(string host) =>
        host.Length == 0 || IsLoopback(host) || IPAddress.TryParse(host.Trim('[', ']'), out _)
        || _hosts.Contains("*") || _hosts.Contains(host.ToUpperInvariant());

    private bool IsAllowed(string origin, HostString host)
    {
        if (_origins.Contains("*") || _origins.Contains(origin.ToUpperInvariant()))
        {
            return true;
        }

        if (!Uri.TryCreate(origin, UriKind.Absolute, out var page) || page.Host.Length == 0)
        {
            return false;
        }

        var samePort = (host.Port ?? (page.Scheme == Uri.UriSchemeHttps ? 443 : 80)) == page.Port;
        return (localPages && IsLoopback(host.Host) && IsLoopback(page.Host))
            || (samePort && string.Equals(page.Host, host.Host, StringComparison.OrdinalIgnoreCase));
    }

    private static bool IsLoopback(string host) =>
        string.Equals(host, "localhost", StringComparison.OrdinalIgnoreCase)
        || host.EndsWith(".localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(host.Trim('[', ']'), out var address) && IPAddress.IsLoopback(address));

    // The headers are the client's: the answer repeats no control characters and no long texts of them.
    private static string Shown(string? text) =>
        new([.. (text ?? "").Where(character => character is > ' ' and < '\x7f').Take(120)]);
}
