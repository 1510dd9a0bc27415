using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// Errors for map names, which users write in several ways: <c>Cinder Fortress LE</c>, <c>CinderFortressLE</c>,
/// <c>CinderFortressLE.SC2Map</c>.
/// </summary>
internal static class MapNames
{
    internal const string Extension = MapName.Extension;
    private const int Suggestions = 3;
    private const int FewMaps = 8;

    /// <summary>The error for an unknown name, with the most similar known names.</summary>
    internal static GameException Unknown(string name, IReadOnlyCollection<string> known)
    {
        if (known.Count == 0)
        {
            return new GameException(
                $"There is no map '{name}': the game has no maps at all. Put {name}{Extension} into the game's Maps " +
                "folder, or give --map the path of a map's file.");
        }

        // A game may list a map twice: as a file name and as a title. The title is preferred. It is longer, because it contains spaces.
        var wanted = MapName.Key(name);
        string[] titles = [.. known.Select(MapName.Title).OrderByDescending(title => title.Length).DistinctBy(MapName.Key)];
        var nearest = titles
            .OrderBy(candidate => ClosestWord.Distance(wanted, MapName.Key(candidate)))
            .ThenBy(candidate => candidate, StringComparer.Ordinal)
            .Take(titles.Length <= FewMaps ? FewMaps : Suggestions);
        return new GameException(
            $"There is no map '{name}'. {(titles.Length <= FewMaps ? "The maps are" : $"The nearest of {titles.Length}")}: {string.Join(", ", nearest)}. " +
            "Give one of the game's maps, or the path of a map's file.");
    }
}
