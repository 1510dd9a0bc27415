using System.Globalization;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi;

/// <summary>The game of a match: a program to start, or the address of a game that runs already.</summary>
public abstract record GameOrigin;

/// <summary>The address of a game that runs already, on this machine or another.</summary>
/// <param name="Host">A name or an IP address.</param>
/// <param name="Port">The TCP port of the game.</param>
public sealed record GameAddress(string Host, int Port) : GameOrigin
{
    /// <summary>The address of the game's API: <c>ws://HOST:PORT/sc2api</c>.</summary>
    public Uri Api => new($"ws://{this}/sc2api");

    /// <summary>Reads <c>host:port</c> (<c>[address]:port</c> for IPv6).</summary>
    /// <exception cref="GameException">The text is not an address and a port.</exception>
    public static GameAddress Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var colon = text.LastIndexOf(':');
        var host = colon > 0 ? text[..colon].Trim('[', ']') : "";
        if (host.Length == 0 || Uri.CheckHostName(host) == UriHostNameType.Unknown ||
            !int.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var port) ||
            port is 0 or > 65535)
        {
            throw new GameException(
                $"'{text}' is not the address of a game: give HOST:PORT, such as 127.0.0.1:5000 for a game started " +
                "with -port 5000.");
        }

        return new GameAddress(host, port);
    }

    /// <inheritdoc/>
    public override string ToString() => $"{(Host.Contains(':', StringComparison.Ordinal) ? $"[{Host}]" : Host)}:{Port}";
}
