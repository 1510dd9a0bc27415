using System.Globalization;
using System.Net;
using Sc2Bridge.Server;

namespace Sc2Bridge.Cli;

/// <summary>
/// The options that a configuration file may set if it was found in the current folder and not named with <c>--config</c>. Another
/// person may have written such a file, because the folder may be a cloned repository. An allowed option starts no program,
/// gives no access and names no other machine. It writes only below the current folder, and replaces only files that sc2bridge wrote.
/// </summary>
internal static class FoundFileRules
{
    // Every value of these options is harmless.
    private static readonly HashSet<string> _harmless =
    [
        "agent-deadline", "agent-timeout", "api-deadline", "api-port", "codec-log", "crop", "deflate", "disable-fog", "feature-layers", "forfeit", "from",
        "game", "game-deadline", "game-port", "games", "jobs", "keep-bytes", "keep-games", "ladder-rules", "lockstep-deadline", "log-level", "loop", "match",
        "memory", "no-agents", "no-color", "no-page", "no-recording", "no-score", "observe", "pause-deadline", "paused", "player", "policy", "publish-bytes",
        "publish-days", "quiet", "rate", "restarts", "seed", "show-burrowed-shadows", "show-cloaked", "show-placeholders", "start-deadline", "step-size", "steps",
        "stop-at-input-end", "tag", "to", "trace-steps", "verbose", "wait",
    ];

    // Options whose values may be names, or paths that stay below the current folder.
    private static readonly HashSet<string> _paths = ["arrow", "map", "observations", "out", "parquet", "recording", "scenario"];

    private static readonly HashSet<string> _addresses = ["grpc", "web"];

    /// <summary>Whether the value of an option is the address at which a server of this program listens.</summary>
    internal static bool IsAddress(string key) => _addresses.Contains(key);

    /// <summary>Whether a found file may set an option.</summary>
    /// <param name="key">The option's name without dashes.</param>
    /// <param name="value">The option's value.</param>
    internal static bool Allows(string key, string value) =>
        _harmless.Contains(key) || (_paths.Contains(key) && IsBelow(value, "")) || (IsAddress(key) && IsLoopback(value))
        || (key == "json" && ResultFile.IsStandardOutputName(value));

    /// <summary>The error for an option that a found file may not set.</summary>
    /// <param name="path">The file.</param>
    /// <param name="key">The option's name without dashes.</param>
    /// <param name="value">The option's value, which is not allowed.</param>
    internal static string DescribeRefusal(string path, string key, string value)
    {
        // Only an address without a valid port is parsed here, because parsing a valid address looks up its host.
        if (IsAddress(key) && !ushort.TryParse(value.AsSpan(value.LastIndexOf(':') + 1), NumberStyles.None, CultureInfo.InvariantCulture, out _))
        {
            try
            {
                _ = BridgeAddress.Parse(value);
            }
            catch (AddressException error)
            {
                return $"{key}: {error.Message}";
            }
        }

        return $"{key} = {value} needs --config, as it may start programs, let others in, name other machines, write outside the current folder, or replace files: "
            + $"if you trust this file, add --config {path}, or else remove the line";
    }

    /// <summary>Whether a file exists and is not empty. A folder or a dead link counts as a file, because reading it reports the error.</summary>
    /// <exception cref="CommandException">The path is a pipe, and reading it could block.</exception>
    internal static bool Exists(string path)
    {
        if (Directory.Exists(path) || new FileInfo(path) is not { Exists: true, Length: 0 } empty)
        {
            return Path.Exists(path) || new FileInfo(path).LinkTarget is not null;
        }

        try
        {
            // Opening a pipe for reading and writing does not wait for another process to open the pipe.
            using var file = empty.Open(FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
            return file.CanSeek ? false : throw new CommandException($"{path} is a pipe: make it a file, or name it with --config");
        }
        catch (UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>
    /// Whether a path stays in a folder. The path may not contain a link, a hidden folder such as .git, a drive, a URL or a share. A backslash
    /// separates folders only on Windows. On Windows, a path may not contain ~, because a name such as GIT~1 may be the short name of a hidden folder.
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

        // No server can listen at an IPv4 address that is written as an IPv6 address.
        return host.Equals("localhost", StringComparison.OrdinalIgnoreCase) || (IPAddress.TryParse(host, out var ip) && IPAddress.IsLoopback(ip) && !ip.IsIPv4MappedToIPv6 && !address.StartsWith(BridgeAddress.UnixScheme, StringComparison.Ordinal));
    }
}
