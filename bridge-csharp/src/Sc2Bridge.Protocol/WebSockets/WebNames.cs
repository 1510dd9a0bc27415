namespace Sc2Bridge.Protocol;

/// <summary>Checks the names of servers and web pages that users write.</summary>
public static class WebNames
{
    /// <summary>Whether a text is a host name or an address of a server. <c>*</c> matches any host.</summary>
    public static bool IsHost(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text == "*" || Uri.CheckHostName(text) is not (UriHostNameType.Unknown or UriHostNameType.Basic);
    }

    /// <summary>
    /// Whether a text is an origin as browsers send it (RFC 6454, 7): a scheme, a host and an optional port. <c>*</c>
    /// matches any origin. <c>null</c> matches a page without an origin, such as a local file.
    /// </summary>
    public static bool IsOrigin(string text) => text is "*" or "null"
        || (Uri.TryCreate(text, UriKind.Absolute, out var page) && page.Host.Length > 0
            && string.Equals(
                page.GetComponents(UriComponents.SchemeAndServer, UriFormat.UriEscaped), text.TrimEnd('/'),
                StringComparison.OrdinalIgnoreCase));
}
