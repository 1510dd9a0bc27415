using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Sc2Bridge.Server;

/// <summary>The address of a server: <c>host:port</c> (port 0: any free port) or <c>unix:/path</c>.</summary>
public sealed class BridgeAddress
{
    /// <summary>The prefix of a Unix socket's address.</summary>
    public const string UnixScheme = "unix:";

    private BridgeAddress(string text, EndPoint endPoint, string host)
    {
        Text = text;
        EndPoint = endPoint;
        Host = host;
    }

    /// <summary>The address as the user wrote it.</summary>
    public string Text { get; }

    /// <summary>The end point to bind.</summary>
    public EndPoint EndPoint { get; }

    /// <summary>The socket's path; null for TCP.</summary>
    public string? UnixPath => EndPoint is UnixDomainSocketEndPoint ? Text[UnixScheme.Length..] : null;

    /// <summary>Whether only programs of this machine can connect: loopback, or a Unix socket.</summary>
    public bool IsLocal => EndPoint is not IPEndPoint ip || IPAddress.IsLoopback(ip.Address);

    /// <summary>The host as the user wrote it; empty for a Unix socket.</summary>
    public string Host { get; }

    /// <summary>Parses an address.</summary>
    /// <exception cref="AddressException">The format is invalid, or the host has no IP address.</exception>
    public static BridgeAddress Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (text.StartsWith(UnixScheme, StringComparison.Ordinal))
        {
            try
            {
                var path = text[UnixScheme.Length..];
                return new BridgeAddress(text, new UnixDomainSocketEndPoint(Path.GetFullPath(path)), "");
            }
            catch (ArgumentException)
            {
                throw new AddressException(
                    $"'{text}' cannot be a Unix socket: write unix: and a path of 1 to 107 bytes.");
            }
        }

        var colon = text.LastIndexOf(':');
        if (colon <= 0
            || !ushort.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var port))
        {
            throw new AddressException($"'{text}' is not an address: write host:port (port 0 to 65535) or unix:/path.");
        }

        var host = text[..colon];
        return new BridgeAddress(text, new IPEndPoint(Resolve(text, host), port), host);
    }

    private static IPAddress Resolve(string text, string host)
    {
        if (host == "*")
        {
            return IPAddress.Any;
        }

        if (host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
        {
            return IPAddress.Loopback;
        }

        var bare = host.StartsWith('[') && host.EndsWith(']') ? host[1..^1] : host;
        if (IPAddress.TryParse(bare, out var address))
        {
            return bare.Contains(':', StringComparison.Ordinal) && bare == host
                ? throw new AddressException($"'{text}': write an IPv6 address in brackets, as [::1]:50051.")
                : address;
        }

        try
        {
            return Dns.GetHostAddresses(host)[0];
        }
        catch (Exception problem) when (problem is SocketException or ArgumentException or IndexOutOfRangeException)
        {
            throw new AddressException($"'{text}': the host '{host}' has no address. Try 127.0.0.1 or localhost.");
        }
    }
}
