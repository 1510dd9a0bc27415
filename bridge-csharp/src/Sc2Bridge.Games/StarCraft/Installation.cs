using System.Globalization;
using Sc2Bridge.GameApi;
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

    private static readonly string[] _mapFolders = ["Maps", "maps"];

    /// <summary>The folder of maps, whose paths the game takes relative to it; null where there is none.</summary>
    public string? MapFolder { get; private init; }

    /// <summary>
    /// Finds the game: <c>SC2PATH</c>, else what the game wrote into ExecuteInfo.txt, else where it installs itself.
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
        $"StarCraft II was not found (looked in {string.Join(", ", Candidates(environment))}). Install it, or set " +
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

            return At(environment, stated);
        }

        foreach (var root in Candidates(environment))
        {
            if (environment.FolderExists(Join(root, "Versions")))
            {
                return At(environment, root);
            }
        }

        return null;
    }

    /// <summary>The builds that are installed beside each other, from the oldest that can be used on.</summary>
    /// <param name="environment">Where it is installed; looked at anew, as the game may download one.</param>
    internal IReadOnlyList<int> Builds(ISystemEnvironment environment)
    {
        return
        [
            .. environment.Folders(Join(Root, "Versions")).Select(Build).OfType<int>()
                .Where(build => build >= OldestBuild && environment.FileExists(Program(environment.Platform, Root, build)))
                .Order(),
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

    private static IEnumerable<string> Candidates(ISystemEnvironment environment)
    {
        if (ExecuteInfo(environment) is { } stated)
        {
            yield return stated;
        }

        yield return environment.Platform switch
        {
            GamePlatform.Windows => "C:/Program Files (x86)/StarCraft II",
            GamePlatform.MacOS => "/Applications/StarCraft II",
            _ => Join(environment.Home, "StarCraftII"),
        };
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

    private static Installation At(ISystemEnvironment environment, string root)
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
