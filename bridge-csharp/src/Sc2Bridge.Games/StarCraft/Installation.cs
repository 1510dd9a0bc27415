using System.Globalization;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>StarCraft II as installed on a machine.</summary>
/// <param name="Root">The folder that holds <c>Versions</c>.</param>
/// <param name="Executable">The version's binary: the newest one's where none was asked for.</param>
/// <param name="WorkingDirectory">Where it is started: <c>Support64</c> on Windows.</param>
/// <param name="BaseBuild">The number of <c>Versions/BaseNNNNN</c>.</param>
/// <param name="Platform">The system that it is for.</param>
public sealed record Installation(
    string Root, string Executable, string WorkingDirectory, int BaseBuild, GamePlatform Platform)
{
    /// <summary>The oldest build with the API as it is used here.</summary>
    public const int OldestBuild = 55958;

    private const string PathVariable = "SC2PATH";

    // Battle.net's entry for removing the game, whose InstallLocation launchers and mod managers read too. The first is what
    // programs of 32 bits see as the second.
    private static readonly string[] _registryKeys =
    [
        @"HKEY_LOCAL_MACHINE\SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Uninstall\StarCraft II",
        @"HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\StarCraft II",
        @"HKEY_CURRENT_USER\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\StarCraft II",
    ];

    private static readonly string[] _mapFolders = ["Maps", "maps"];

    /// <summary>The folder of maps, whose paths the game takes relative to it; null where there is none.</summary>
    public string? MapFolder { get; private init; }

    /// <summary>What led to it, for people: <c>SC2PATH</c>, <c>ExecuteInfo.txt</c> …</summary>
    public string FoundBy { get; private init; } = "";

    /// <summary>
    /// Finds the game: <c>SC2PATH</c>, else what the game wrote into ExecuteInfo.txt, else what Battle.net wrote into
    /// Windows' registry, else where it installs itself.
    /// </summary>
    /// <exception cref="GameException">
    /// It is not there, or is too old; the message says where was looked and what to do.
    /// </exception>
    public static Installation Find() => Find(new SystemEnvironment());

    /// <summary>Finds the game; null where nothing is installed.</summary>
    /// <exception cref="GameException">
    /// SC2PATH names a folder without the game, or what is installed cannot be used.
    /// </exception>
    public static Installation? TryFind() => TryFind(new SystemEnvironment());

    /// <summary>As <see cref="Find()"/>, on any machine.</summary>
    internal static Installation Find(ISystemEnvironment environment) => TryFind(environment) ?? throw new GameException(
        $"StarCraft II was not found (looked in {string.Join(", ", Places(environment))}). Install it, or set " +
        $"{PathVariable} to the folder that holds its Versions folder, or play the simulated game with --game " +
        "simulated.");

    /// <summary>As <see cref="TryFind()"/>, on any machine.</summary>
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

            return At(environment, stated, PathVariable);
        }

        var (root, by) = Candidates(environment).FirstOrDefault(one => environment.FolderExists(Join(one.Root, "Versions")));
        return root is null ? null : At(environment, root, by);
    }

    /// <summary>Where the game is looked for where SC2PATH names no folder.</summary>
    internal static IEnumerable<string> Places(ISystemEnvironment environment) =>
        Candidates(environment).Select(candidate => candidate.Root);

    /// <summary>
    /// The game for Windows in prefixes of Wine on another system: the usual one, the one that is set, and those that Lutris
    /// makes (python-sc2's <c>paths.py</c>; Lutris' <c>~/Games</c>).
    /// </summary>
    internal static IEnumerable<string> UnderWine(ISystemEnvironment environment)
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

    /// <summary>The builds that are installed beside each other, from the oldest that can be used on.</summary>
    /// <param name="environment">Where it is installed; looked at anew, as the game may download one.</param>
    internal IReadOnlyList<int> Builds(ISystemEnvironment environment) =>
    [
        .. environment.Folders(Join(Root, "Versions")).Select(Build).OfType<int>()
            .Where(build => build >= OldestBuild && environment.FileExists(Program(environment.Platform, Root, build)))
            .Order(),
    ];

    /// <summary>Folders of builds that cannot be used: too old, or without a program.</summary>
    internal IReadOnlyList<string> UnusableBuilds(ISystemEnvironment environment)
    {
        var usable = Builds(environment);
        return
        [
            .. environment.Folders(Join(Root, "Versions")).Where(folder => Build(folder) is { } build && !usable.Contains(build))
                .Order(StringComparer.Ordinal),
        ];
    }

    /// <summary>
    /// The same installation's game of another build, as an old replay needs it; null where it is not there.
    /// </summary>
    /// <param name="environment">Where it is installed.</param>
    /// <param name="build">The number of <c>Versions/BaseNNNNN</c>.</param>
    internal Installation? OfBuild(ISystemEnvironment environment, int build) => Builds(environment).Contains(build)
        ? this with { Executable = Program(Platform, Root, build), BaseBuild = build }
        : null;

    private static IEnumerable<(string Root, string By)> Candidates(ISystemEnvironment environment)
    {
        if (ExecuteInfo(environment) is { } stated)
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

    // One line, `executable = PATH/Versions/BaseNNNNN/…`, which ends with a NUL.
    private static string? ExecuteInfo(ISystemEnvironment environment)
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

    private static Installation At(ISystemEnvironment environment, string root, string foundBy)
    {
        var builds = environment.Folders(Join(root, "Versions")).Select(Build).Where(build => build is not null).Max();
        if (builds is not { } newest)
        {
            throw new GameException(
                $"There is no Versions/Base… in '{root}': StarCraft II is not wholly installed. Start it once, or " +
                "install it again.");
        }

        if (newest < OldestBuild)
        {
            throw new GameException(
                $"StarCraft II in '{root}' is of build {newest}, older than {OldestBuild}, the first that can be " +
                "used. Update it.");
        }

        var executable = Program(environment.Platform, root, newest);
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

            // Blizzard's Linux packages name it either way.
            MapFolder = _mapFolders.Select(name => Join(root, name)).FirstOrDefault(environment.FolderExists),
        };
    }

    private static string Program(GamePlatform platform, string root, int build) =>
        Join(root, $"Versions/Base{build}/" + platform switch
        {
            GamePlatform.Windows => "SC2_x64.exe",
            GamePlatform.MacOS => "SC2.app/Contents/MacOS/SC2",
            _ => "SC2_x64",
        });

    private static int? Build(string folder) =>
        folder.StartsWith("Base", StringComparison.Ordinal) &&
        int.TryParse(folder.AsSpan(4), NumberStyles.None, CultureInfo.InvariantCulture, out var build)
            ? build
            : null;

    private static string Join(string folder, string below) => $"{folder.TrimEnd('/', '\\')}/{below}";
}
