using System.Globalization;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>An installation of StarCraft II.</summary>
/// <param name="Root">The folder that contains <c>Versions</c>.</param>
/// <param name="Executable">The program of the requested version; of the newest version if no version was requested.</param>
/// <param name="WorkingDirectory">The folder to start the program in: <c>Support64</c> on Windows.</param>
/// <param name="BaseBuild">The build: the number in the folder name <c>Versions/BaseNNNNN</c>.</param>
/// <param name="Platform">The system that the game runs on.</param>
public sealed record Installation(
    string Root, string Executable, string WorkingDirectory, int BaseBuild, GamePlatform Platform)
{
    /// <summary>The oldest build whose API the bridge supports.</summary>
    public const int OldestBuild = 55958;

    private const string PathVariable = "SC2PATH";

    // The registry keys of Battle.net's uninstall entry. Launchers and mod managers also read InstallLocation from this entry.
    // If a 32-bit program reads the second key, Windows returns the first key.
    private static readonly string[] _registryKeys =
    [
        @"HKEY_LOCAL_MACHINE\SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Uninstall\StarCraft II",
        @"HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\StarCraft II",
        @"HKEY_CURRENT_USER\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\StarCraft II",
    ];

    private static readonly string[] _mapFolders = ["Maps", "maps"];

    /// <summary>The game's folder of maps; null if it does not exist. The game accepts map paths relative to this folder.</summary>
    public string? MapFolder { get; private init; }

    /// <summary>How the installation was found, for messages: <c>SC2PATH</c>, <c>ExecuteInfo.txt</c> …</summary>
    public string FoundBy { get; private init; } = "";

    /// <summary>
    /// Finds the game through <c>SC2PATH</c>, else the game's ExecuteInfo.txt, else Battle.net's entry in Windows' registry,
    /// else in the usual folder.
    /// </summary>
    /// <exception cref="GameException">
    /// The game was not found, or is too old. The message names the searched folders and the remedy.
    /// </exception>
    public static Installation Find() => Find(new SystemEnvironment());

    /// <summary>Finds the game; null if it is not installed.</summary>
    /// <exception cref="GameException">
    /// SC2PATH names a folder without the game, or the installed game cannot be used.
    /// </exception>
    public static Installation? TryFind() => TryFind(new SystemEnvironment());

    /// <summary>Does the same as <see cref="Find()"/>, for the given machine.</summary>
    internal static Installation Find(ISystemEnvironment environment) => TryFind(environment) ?? throw new GameException(
        $"StarCraft II was not found (looked in {string.Join(", ", SearchedFolders(environment))}). Install it, or set " +
        $"{PathVariable} to the folder that holds its Versions folder, or play the simulated game with --game " +
        "simulated.");

    /// <summary>Does the same as <see cref="TryFind()"/>, for the given machine.</summary>
    internal static Installation? TryFind(ISystemEnvironment environment)
    {
        if (environment.Variable(PathVariable) is { Length: > 0 } stated)
        {
            if (!environment.FolderExists(Join(stated, "Versions")))
            {
                throw new GameException(
                    $"{PathVariable} is '{stated}', but there is no folder Versions in it. Set {PathVariable} to " +
                    "StarCraft II's own folder.");
            }

            return OpenAt(environment, stated, PathVariable);
        }

        var (root, by) = Candidates(environment).FirstOrDefault(candidate => environment.FolderExists(Join(candidate.Root, "Versions")));
        return root is null ? null : OpenAt(environment, root, by);
    }

    /// <summary>The folders that are searched if SC2PATH is not set.</summary>
    internal static IEnumerable<string> SearchedFolders(ISystemEnvironment environment) =>
        Candidates(environment).Select(candidate => candidate.Root);

    /// <summary>
    /// On systems other than Windows: the folders of the game under Wine. Searches the usual Wine prefix (as python-sc2's <c>paths.py</c>
    /// does), the prefix in WINEPREFIX, and Lutris' prefixes in <c>~/Games</c>.
    /// </summary>
    internal static IEnumerable<string> FoldersUnderWine(ISystemEnvironment environment)
    {
        if (environment.Platform == GamePlatform.Windows)
        {
            return [];
        }

        var games = Join(environment.Home, "Games");
        List<string> prefixes =
        [
            environment.Variable("WINEPREFIX") ?? "",
            Join(environment.Home, ".wine"),
            .. environment.FolderExists(games) ? environment.Folders(games).Order(StringComparer.Ordinal).Select(name => Join(games, name)) : [],
        ];
        return prefixes.Where(prefix => prefix.Length > 0).Distinct()
            .Select(prefix => Join(prefix, "drive_c/Program Files (x86)/StarCraft II"))
            .Where(root => environment.FolderExists(Join(root, "Versions")));
    }

    /// <summary>The installed builds that can be used, from the oldest to the newest.</summary>
    /// <param name="environment">The machine. Its folders are read at each call, because the game may download a build.</param>
    internal IReadOnlyList<int> Builds(ISystemEnvironment environment) =>
    [
        .. environment.Folders(Join(Root, "Versions")).Select(BuildOf).OfType<int>()
            .Where(build => build >= OldestBuild && environment.FileExists(ExecutableOf(environment.Platform, Root, build)))
            .Order(),
    ];

    /// <summary>The folders of builds that cannot be used, because the build is too old or the program is missing.</summary>
    internal IReadOnlyList<string> UnusableBuilds(ISystemEnvironment environment)
    {
        var usable = Builds(environment);
        return
        [
            .. environment.Folders(Join(Root, "Versions")).Where(folder => BuildOf(folder) is { } build && !usable.Contains(build))
                .Order(StringComparer.Ordinal),
        ];
    }

    /// <summary>
    /// The same installation with another build of the game, for an old replay; null if the build is not installed.
    /// </summary>
    /// <param name="environment">The machine.</param>
    /// <param name="build">The build: the number in the folder name <c>Versions/BaseNNNNN</c>.</param>
    internal Installation? OfBuild(ISystemEnvironment environment, int build) => Builds(environment).Contains(build)
        ? this with { Executable = ExecutableOf(Platform, Root, build), BaseBuild = build }
        : null;

    private static IEnumerable<(string Root, string By)> Candidates(ISystemEnvironment environment)
    {
        if (RootInExecuteInfo(environment) is { } stated)
        {
            yield return (stated, "ExecuteInfo.txt");
        }

        foreach (var key in _registryKeys)
        {
            if (environment.RegistryValue(key, "InstallLocation") is { Length: > 0 } installed)
            {
                yield return (installed.Replace('\\', '/').TrimEnd('/'), "the registry");
                break;
            }
        }

        yield return (
            environment.Platform switch
            {
                GamePlatform.Windows => "C:/Program Files (x86)/StarCraft II",
                GamePlatform.MacOS => "/Applications/StarCraft II",
                _ => Join(environment.Home, "StarCraftII"),
            },
            "its usual folder");
    }

    // ExecuteInfo.txt has one line, `executable = PATH/Versions/BaseNNNNN/…`, with a NUL at its end.
    private static string? RootInExecuteInfo(ISystemEnvironment environment)
    {
        var path = environment.Platform switch
        {
            GamePlatform.Windows => Join(environment.Documents, "StarCraft II/ExecuteInfo.txt"),
            GamePlatform.MacOS =>
                Join(environment.Home, "Library/Application Support/Blizzard/StarCraft II/ExecuteInfo.txt"),
            _ => null,
        };
        if (path is null || !environment.FileExists(path))
        {
            return null;
        }

        foreach (var line in environment.ReadText(path).Split('\n'))
        {
            var equals = line.IndexOf('=', StringComparison.Ordinal);
            if (equals >= 0 && line[..equals].Trim().Equals("executable", StringComparison.OrdinalIgnoreCase))
            {
                var executable = line[(equals + 1)..].Trim('\0', ' ', '\t', '\r').Replace('\\', '/');
                var versions = executable.LastIndexOf("/Versions/", StringComparison.OrdinalIgnoreCase);
                return versions > 0 ? executable[..versions] : null;
            }
        }

        return null;
    }

    private static Installation OpenAt(ISystemEnvironment environment, string root, string foundBy)
    {
        var newestBuild = environment.Folders(Join(root, "Versions")).Select(BuildOf).Where(build => build is not null).Max();
        if (newestBuild is not { } newest)
        {
            throw new GameException(
                $"There is no Versions/Base… in '{root}': the installation of StarCraft II is not complete. Start it once, or " +
                "install it again.");
        }

        if (newest < OldestBuild)
        {
            throw new GameException(
                $"StarCraft II in '{root}' has build {newest}, which is older than {OldestBuild}, the oldest build " +
                "that can be used. Update it.");
        }

        var executable = ExecutableOf(environment.Platform, root, newest);
        if (!environment.FileExists(executable))
        {
            throw new GameException(
                $"StarCraft II's program '{executable}' is missing. Repair the installation, or set {PathVariable} " +
                "to another.");
        }

        return new Installation(
            root,
            executable,
            environment.Platform == GamePlatform.Windows ? Join(root, "Support64") : root,
            newest,
            environment.Platform)
        {
            FoundBy = foundBy,

            // Blizzard's Linux packages use both spellings of the folder's name.
            MapFolder = _mapFolders.Select(name => Join(root, name)).FirstOrDefault(environment.FolderExists),
        };
    }

    private static string ExecutableOf(GamePlatform platform, string root, int build) =>
        Join(root, $"Versions/Base{build}/" + platform switch
        {
            GamePlatform.Windows => "SC2_x64.exe",
            GamePlatform.MacOS => "SC2.app/Contents/MacOS/SC2",
            _ => "SC2_x64",
        });

    private static int? BuildOf(string folder) =>
        folder.StartsWith("Base", StringComparison.Ordinal) &&
        int.TryParse(folder.AsSpan(4), NumberStyles.None, CultureInfo.InvariantCulture, out var build)
            ? build
            : null;

    private static string Join(string folder, string below) => $"{folder.TrimEnd('/', '\\')}/{below}";
}
