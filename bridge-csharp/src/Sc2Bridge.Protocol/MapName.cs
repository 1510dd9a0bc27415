namespace Sc2Bridge.Protocol;

/// <summary>A map's name as people write it: a title, a file's name or its path.</summary>
public static class MapName
{
    /// <summary>The ending of a map's file.</summary>
    public const string Extension = ".SC2Map";

    /// <summary>The name without folders and the file's ending.</summary>
    /// <param name="name">A name (<c>Cinder Fortress LE</c>) or a path (<c>Ladder/CinderFortressLE.SC2Map</c>).</param>
    public static string Title(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        var file = name[(name.LastIndexOfAny(['/', '\\']) + 1)..];
        return file.EndsWith(Extension, StringComparison.OrdinalIgnoreCase) ? file[..^Extension.Length] : file;
    }

    /// <summary>
    /// What two names of one map have in common: its letters and digits alone, of any script, in lower case.
    /// </summary>
    /// <param name="name">A name or a path.</param>
    public static string Key(string name) =>
        new([.. Title(name).Where(char.IsLetterOrDigit).Select(char.ToLowerInvariant)]);

    /// <summary>Finds a map by its name, with or without its "LE". Blanks, case, folders and the ending do not count.</summary>
    /// <param name="name">A name or a path.</param>
    /// <param name="known">Names or paths.</param>
    /// <returns>The one of <paramref name="known"/> that is meant; null if the name fits none of them.</returns>
    public static string? Find(string name, IEnumerable<string> known)
    {
        var wanted = Key(name);
        return wanted.Length == 0
            ? null
            : known.FirstOrDefault(candidate => Key(candidate) == wanted) ?? known.FirstOrDefault(candidate => Key(candidate) == wanted + "le");
    }
}
