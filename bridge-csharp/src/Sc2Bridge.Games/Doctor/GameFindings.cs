using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>Checks a machine for StarCraft II: installations, builds and maps. The checks start no game.</summary>
public static class GameFindings
{
    // The build of version 4.10, the last version in s2client-proto's README, "Linux Packages". The build's folder is Versions/Base75689.
    private const int NewestKnownBuild = 75689;

    private const string Game = "StarCraft II";

    /// <summary>Checks this machine.</summary>
    /// <param name="map">The map to play.</param>
    /// <param name="needsGame">Whether the user requires StarCraft II itself, so that a missing installation is a problem.</param>
    public static IReadOnlyList<Finding> Make(string map, bool needsGame) => [.. Make(new SystemEnvironment(), map, needsGame)];

    /// <summary>Returns the finding about the simulated game's maps. The simulated game needs nothing from the machine.</summary>
    /// <param name="map">The map to play.</param>
    public static Finding OfSimulatedGame(string map) => MapName.Find(map, SimulatedGame.Maps) is { } found
        ? new Finding("maps", Verdict.Ok, $"the simulated game has {SimulatedGame.Maps.Count}, '{map}' is {found}")
        : new Finding(
            "maps", Verdict.Problem, $"the simulated game has no map '{map}'",
            $"Name one of its maps with --map: {string.Join(", ", SimulatedGame.Maps)}");

    /// <summary>Checks any machine.</summary>
    internal static IEnumerable<Finding> Make(ISystemEnvironment environment, string map, bool needsGame = false)
    {
        try
        {
            return FindAll(environment, map, needsGame);
        }
        catch (Exception unreadable) when (unreadable is IOException or UnauthorizedAccessException)
        {
            return
            [
                new Finding(
                    "permissions", Verdict.Problem, unreadable.Message,
                    "Let your user read the game's folder and all below it, or play the simulated game: --game simulated"),
            ];
        }
    }

    private static IEnumerable<Finding> FindAll(ISystemEnvironment environment, string map, bool needsGame)
    {
        var installed = OfInstallation(environment, needsGame, out var installation);
        return
        [
            installed,
            .. installation is not null
                ? [.. OfBuilds(environment, installation), OfData(environment, installation), OfMaps(environment, installation, map)]
                : installed.Verdict == Verdict.Note ? (IEnumerable<Finding>)[OfSimulatedGame(map)] : [],
            .. Installation.FoldersUnderWine(environment).Select(root => new Finding(
                "Wine",
                Verdict.Note,
                $"StarCraft II for Windows in {root}",
                "The bridge does not start this game: start it under Wine with -listen 127.0.0.1 -port 5000, then play with "
                + "--attach 127.0.0.1:5000")),
        ];
    }

    private static Finding OfInstallation(ISystemEnvironment environment, bool needsGame, out Installation? installation)
    {
        try
        {
            installation = Installation.TryFind(environment);
        }
        catch (GameException unusable)
        {
            installation = null;
            return new Finding(
                Game, Verdict.Problem, unusable.Message, "Until this is repaired, play the simulated game: --game simulated");
        }

        return installation is null
            ? new Finding(
                Game,
                needsGame ? Verdict.Problem : Verdict.Note,
                $"not installed (looked in {string.Join(", ", Installation.SearchedFolders(environment))})",
                $"Matches are played on the simulated game{(needsGame ? " without --game starcraft" : "")}. For the real game, install StarCraft II "
                + "from Battle.net, or on Linux unpack a package of https://github.com/Blizzard/s2client-proto#downloads, or set SC2PATH to the game's folder")
            : new Finding(Game, Verdict.Ok, $"in {installation.Root}, by {installation.FoundBy}");
    }

    private static IEnumerable<Finding> OfBuilds(ISystemEnvironment environment, Installation installation)
    {
        var usable = installation.Builds(environment);
        yield return usable.Where(build => build > NewestKnownBuild).Select(build => $"{build}").ToList() is { Count: > 0 } unknown
            ? new Finding(
                "builds",
                Verdict.Note,
                $"{string.Join(", ", usable)}; {string.Join(", ", unknown)} came after {NewestKnownBuild}, the newest build that the bridge knows",
                "To see the differences, run: sc2bridge doctor --play")
            : new Finding("builds", Verdict.Ok, string.Join(", ", usable));
        foreach (var folder in installation.UnusableBuilds(environment))
        {
            yield return new Finding(
                "builds", Verdict.Note, $"{folder} is ignored: it is too old, or has no program",
                "Replays of that version cannot be played. This has no other effect");
        }

        foreach (var build in usable.Where(build => !environment.MayExecute(installation.OfBuild(environment, build)!.Executable)))
        {
            var program = installation.OfBuild(environment, build)!.Executable;
            yield return new Finding(
                "permissions", Verdict.Problem, $"{program} may not be executed", $"Run: chmod +x '{program}'");
        }
    }

    // The first line of .build.info has the columns' names, and the line of the active branch has the values (CascLib's CascBuildInfo
    // reads the file in the same way). The version of the game's data is not in the file: only the running game reports this version.
    private static Finding OfData(ISystemEnvironment environment, Installation installation)
    {
        var path = $"{installation.Root.TrimEnd('/', '\\')}/.build.info";
        var lines = environment.FileExists(path) ? environment.ReadText(path).Split('\n') : [];
        var names = lines.FirstOrDefault("").Split('|').Select(name => name.Split('!')[0].Trim()).ToList();
        var version = names.IndexOf("Version");
        var active = names.IndexOf("Active");
        var values = lines.Skip(1).Select(line => line.Split('|'))
            .FirstOrDefault(line => line.Length == names.Count && (active < 0 || line[active] == "1"));
        return values is not null && version >= 0
            ? new Finding("data", Verdict.Ok, $"version {values[version].Trim()} (.build.info)")
            : new Finding("data", Verdict.Ok, "no .build.info: `sc2bridge doctor --play` asks the game for its version");
    }

    private static Finding OfMaps(ISystemEnvironment environment, Installation installation, string map)
    {
        // A match also accepts the path of a map's file.
        if (map.EndsWith(MapNames.Extension, StringComparison.OrdinalIgnoreCase) && environment.FileExists(map))
        {
            return new Finding("maps", Verdict.Ok, $"'{map}' is a file");
        }

        string[] maps = installation.MapFolder is { } folder ? [.. environment.FilesBelow(folder, MapNames.Extension)] : [];
        var where = installation.MapFolder ?? $"{installation.Root.TrimEnd('/', '\\')}/Maps";
        return MapName.Find(map, maps) is { } found
            ? new Finding("maps", Verdict.Ok, $"{maps.Length} in {where}, '{map}' is {found}")
            : new Finding(
                "maps",
                Verdict.Problem,
                installation.MapFolder is null ? $"the folder {where} does not exist" : $"{maps.Length} in {where}, none is '{map}'",
                $"Unpack map packs of https://github.com/Blizzard/s2client-proto#map-packs into {where}, or name another map with --map");
    }
}
