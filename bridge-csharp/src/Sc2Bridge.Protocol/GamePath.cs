using SC2APIProtocol;

namespace Sc2Bridge.Protocol;

/// <summary>Paths as clients of the game write them, which are the game's to find: it may run on another system.</summary>
public static class GamePath
{
    private static readonly char[] _separators = ['/', '\\'];

    /// <summary>Whether a path stays below the folder that it is relative to, on any system.</summary>
    /// <param name="path">What a client sent.</param>
    public static bool IsBelow(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return path.Length > 0 && !_separators.Contains(path[0]) && path.IndexOfAny([':', '\0']) < 0
            && !path.Split(_separators).Contains("..");
    }

    /// <summary>Whether a whole path is below a folder of this machine.</summary>
    /// <param name="path">What a client sent.</param>
    /// <param name="folder">The folder; null: none.</param>
    public static bool IsBelow(string path, string? folder)
    {
        ArgumentNullException.ThrowIfNull(path);
        var start = folder is null ? null : Path.GetFullPath(folder) + Path.DirectorySeparatorChar;
        return start is not null && path.StartsWith(start, StringComparison.Ordinal) && IsBelow(path[start.Length..]);
    }

    /// <summary>The field of a request whose path is not below the game's folders; null if all paths are.</summary>
    /// <param name="request">A client's.</param>
    public static string? Outside(Request request)
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
    /// <param name="path">What a client sent.</param>
    public static string NameOf(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return path[(path.LastIndexOfAny(_separators) + 1)..];
    }
}
