namespace Sc2Bridge.Protocol;

/// <summary>Names of servers and of web pages, as a person writes them.</summary>
public static class WebNames
{
    /// <summary>Whether a text is a name or an address that a client may call a server by; <c>*</c> is any.</summary>
    public static bool IsHost(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text == "*" || Uri.CheckHostName(text) is not (UriHostNameType.Unknown or UriHostNameType.Basic);
    }

    /// <summary>
    /// Whether a text is an origin as browsers send it (RFC 6454, 7): a scheme, a host and at most a port; <c>*</c> is
    /// any, and <c>null</c> a page without one, such as a file's.
    /// </summary>
    public static bool IsOrigin(string text) => text is "*" or "null"
        || (Uri.TryCreate(text, UriKind.Absolute, out var page) && page.Host.Length > 0
            && string.Equals(
                page.GetComponents(UriComponents.SchemeAndServer, UriFormat.UriEscaped), text.TrimEnd('/'),
                StringComparison.OrdinalIgnoreCase));
}
