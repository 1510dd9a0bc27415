namespace Sc2Bridge.Protocol;

/// <summary>A map's name as users write it: a title, a file name or a path.</summary>
public static class MapName
{
    /// <summary>The extension of map files.</summary>
    public const string Extension = ".SC2Map";

    /// <summary>The name without its folders and without the file extension.</summary>
    /// <param name="name">A name (<c>Cinder Fortress LE</c>) or a path (<c>Ladder/CinderFortressLE.SC2Map</c>).</param>
    public static string Title(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        var file = name[(name.LastIndexOfAny(['/', '\\']) + 1)..];
        return file.EndsWith(Extension, StringComparison.OrdinalIgnoreCase) ? file[..^Extension.Length] : file;
    }

    /// <summary>
    /// A key that is equal for different spellings of one map's name: its letters and digits, in lower case.
    /// </summary>
    /// <param name="name">A name or a path.</param>
    public static string Key(string name) =>
        new([.. Title(name).Where(char.IsLetterOrDigit).Select(char.ToLowerInvariant)]);

    /// <summary>Finds a map by its name. The suffix "LE" may be left out. Spaces, case, folders and the extension are ignored.</summary>
    /// <param name="name">A name or a path.</param>
    /// <param name="known">The names or paths to search.</param>
    /// <returns>The matching element of <paramref name="known"/>; null if no element matches.</returns>
    public static string? Find(string name, IEnumerable<string> known)
    {
        var wanted = Key(name);
        return wanted.Length == 0
            ? null
            : known.FirstOrDefault(candidate => Key(candidate) == wanted) ?? known.FirstOrDefault(candidate => Key(candidate) == wanted + "le");
    }
}
