using SC2APIProtocol;

namespace Sc2Bridge.Protocol;

/// <summary>Paths in clients' requests. The game opens them, possibly on another operating system.</summary>
public static class GamePath
{
    private static readonly char[] _separators = ['/', '\\'];

    /// <summary>Whether a relative path stays below the folder from which it starts, on any operating system.</summary>
    /// <param name="path">The path from a request.</param>
    public static bool IsBelow(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return path.Length > 0 && !_separators.Contains(path[0]) && path.IndexOfAny([':', '\0']) < 0
            && !path.Split(_separators).Contains("..");
    }

    /// <summary>Whether an absolute path is below a folder of this machine.</summary>
    /// <param name="path">The path from a request.</param>
    /// <param name="folder">The folder. If it is null, the result is false.</param>
    public static bool IsBelow(string path, string? folder)
    {
        ArgumentNullException.ThrowIfNull(path);
        var start = folder is null ? null : Path.GetFullPath(folder) + Path.DirectorySeparatorChar;
        return start is not null && path.StartsWith(start, StringComparison.Ordinal) && IsBelow(path[start.Length..]);
    }

    /// <summary>The name of the request's field that holds a path outside the game's folders. Null if all paths are inside.</summary>
    /// <param name="request">A client's request.</param>
    public static string? FindOutsideField(Request request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return request switch
        {
            { SaveMap: { HasMapPath: true, MapPath: var path } } when !IsBelow(path) => "save_map.map_path",
            { ReplayInfo: { HasReplayPath: true, ReplayPath: var path } } when !IsBelow(path) => "replay_info.replay_path",
            _ => null,
        };
    }

    /// <summary>A path without its folders.</summary>
    /// <param name="path">The path from a request.</param>
    public static string NameOf(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return path[(path.LastIndexOfAny(_separators) + 1)..];
    }
}
