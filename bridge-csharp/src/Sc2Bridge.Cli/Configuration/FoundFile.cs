using System.Net;
using Sc2Bridge.Server;

namespace Sc2Bridge.Cli;

/// <summary>
/// The options that a configuration file may set if it was found in the current folder and not named. Somebody else may have written
/// it, as the folder may be a cloned repository. All other options need <c>--config</c>. An option belongs here if it starts no
/// program, gives no access, names no other machine, writes only below the current folder and replaces no file there that it did not write.
/// </summary>
internal static class FoundFile
{
    // Any value is harmless.
    private static readonly HashSet<string> _harmless =
    [
        "agent-deadline", "agent-timeout", "api-deadline", "api-port", "codec-log", "crop", "deflate", "disable-fog", "feature-layers", "forfeit", "from",
        "game", "game-deadline", "game-port", "games", "jobs", "keep-bytes", "keep-games", "ladder-rules", "lockstep-deadline", "log-level", "loop", "match",
        "memory", "no-agents", "no-color", "no-page", "no-recording", "no-score", "observe", "pause-deadline", "paused", "player", "policy", "publish-bytes",
        "publish-days", "quiet", "rate", "restarts", "seed", "show-burrowed-shadows", "show-cloaked", "show-placeholders", "start-deadline", "step-size", "steps",
        "stop-at-input-end", "tag", "to", "trace-steps", "verbose", "wait",
    ];

    // Names, and paths that stay below the current folder.
    private static readonly HashSet<string> _paths = ["arrow", "map", "observations", "out", "parquet", "recording", "scenario"];

    private static readonly HashSet<string> _addresses = ["grpc", "web"];

    /// <summary>Whether an option takes the address of a server of this program.</summary>
    internal static bool IsAddress(string key) => _addresses.Contains(key);

    /// <summary>Whether such a file may set an option.</summary>
    /// <param name="key">The option's name without dashes.</param>
    /// <param name="value">Its value.</param>
    internal static bool Allows(string key, string value) =>
        _harmless.Contains(key) || (_paths.Contains(key) && IsBelow(value, "")) || (IsAddress(key) && IsLoopback(value))
        || (key == "json" && ResultFile.IsOutputName(value));

    /// <summary>
    /// Whether a path stays in a folder: through no link, no hidden folder such as .git, no drive, URL or share. A backslash separates
    /// folders on Windows alone. There, a name such as GIT~1 may be a hidden folder's short name.
    /// </summary>
    internal static bool IsBelow(string path, string folder)
    {
        var parts = path.Split('/', '\\');
        return parts[0].Length > 0 && !path.AsSpan().ContainsAny(':', '\0', OperatingSystem.IsWindows() ? '~' : '\\')
            && parts.All(part => part is "." || !part.StartsWith('.'))
            && Enumerable.Range(1, parts.Length).All(count => new FileInfo(Path.Combine([folder, .. parts[..count]])).LinkTarget is null);
    }

    private static bool IsLoopback(string address)
    {
        var colon = address.LastIndexOf(':');
        var host = colon < 0 ? "" : address[..colon].Trim('[', ']');
        return host == "localhost" || (IPAddress.TryParse(host, out var ip) && IPAddress.IsLoopback(ip) && !address.StartsWith(BridgeAddress.UnixScheme, StringComparison.Ordinal));
    }
}
