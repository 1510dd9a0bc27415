namespace Sc2Bridge.Games;

/// <summary>
/// Maps by the names that people write: <c>Cinder Fortress LE</c>, <c>CinderFortressLE</c>,
/// <c>CinderFortressLE.SC2Map</c>.
/// </summary>
internal static class MapNames
{
    internal const string Extension = ".SC2Map";
    private const int Suggestions = 3;

    /// <summary>The one among <paramref name="known"/> (paths or names) that is meant; null where none is.</summary>
    internal static string? Find(string name, IEnumerable<string> known)
    {
        var wanted = Key(name);
        return wanted.Length == 0 ? null : known.FirstOrDefault(candidate => Key(candidate) == wanted);
    }

    /// <summary>One line for a name that is none, with the nearest ones that are.</summary>
    internal static GameException Unknown(string name, IReadOnlyCollection<string> known)
    {
        if (known.Count == 0)
        {
            return new GameException(
                $"There is no map '{name}': the game has no maps at all. Put {name}{Extension} into the game's Maps " +
                "folder, or give --map the path of a map's file.");
        }

        var wanted = Key(name);
        var nearest = known
            .Select(Title)
            .Distinct(StringComparer.OrdinalIgnoreCase)
            .OrderBy(candidate => Distance(wanted, Key(candidate)))
            .ThenBy(candidate => candidate, StringComparer.Ordinal)
            .Take(Suggestions);
        return new GameException(
            $"There is no map '{name}'. The nearest of {known.Count}: {string.Join(", ", nearest)}. " +
            "Give one of the game's maps, or the path of a map's file.");
    }

    private static string Title(string path)
    {
        var name = path[(path.LastIndexOfAny(['/', '\\']) + 1)..];
        return name.EndsWith(Extension, StringComparison.OrdinalIgnoreCase) ? name[..^Extension.Length] : name;
    }

    // Letters and digits alone, of any script.
    private static string Key(string name) =>
        new([.. Title(name).Where(char.IsLetterOrDigit).Select(char.ToLowerInvariant)]);

    // Levenshtein's: how many letters to change, add or take away.
    private static int Distance(string a, string b)
    {
        var above = Enumerable.Range(0, b.Length + 1).ToArray();
        for (var i = 0; i < a.Length; i++)
        {
            var diagonal = above[0];
            above[0] = i + 1;
            for (var j = 0; j < b.Length; j++)
            {
                var changed = diagonal + (a[i] == b[j] ? 0 : 1);
                diagonal = above[j + 1];
                above[j + 1] = Math.Min(changed, Math.Min(diagonal, above[j]) + 1);
            }
        }

        return above[^1];
    }
}
