using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// Which version of an installed game is started for a replay. Looks at the installation, and starts nothing.
/// </summary>
/// <param name="newest">The newest installed game, or one without an installation, which is the only one.</param>
/// <param name="environment">Where it is installed.</param>
internal sealed class ReplayVersions(GameLaunch newest, ISystemEnvironment environment)
{
    /// <summary>The installation; null for the simulated game.</summary>
    internal Installation? Installation => newest.Installation;

    // The newest game fetches what an old replay needs on Windows and macOS; Blizzard's Linux packages do not
    // (protocol.md, "Downloading Old Versions").
    private bool CanDownload => Installation is { Platform: not GamePlatform.Linux };

    /// <summary>
    /// The game to ask of a replay: by what the file says of itself, where it does; else the one that runs, or the
    /// newest.
    /// </summary>
    /// <param name="replay">The replay.</param>
    /// <param name="running">The game that runs; null where none does.</param>
    /// <returns>
    /// The game, and whether it has to fetch the version that plays the replay, which takes its time.
    /// </returns>
    /// <exception cref="GameException">That version is not there, and cannot be fetched.</exception>
    internal (GameLaunch Launch, bool Downloads) First(Replay replay, GameLaunch? running)
    {
        if (Installation is null || replay.Head is not { BaseBuild: { } build } head)
        {
            return (running ?? newest, false);
        }

        if (build < Installation.OldestBuild)
        {
            throw new GameException(
                $"{replay.Path} was played in version {head.GameVersion} of StarCraft II (build {build}), which is older "
                + $"than {Installation.OldestBuild}, the first whose game other programs can have play a replay.");
        }

        return Installed(build, head.DataVersion) is { } exact ? (exact, false)
            : CanDownload ? (newest, true)
            : throw Missing(replay, build, head.GameVersion);
    }

    /// <summary>The game that plays a replay, as the game tells.</summary>
    /// <param name="replay">The replay.</param>
    /// <param name="build">Its build.</param>
    /// <param name="dataVersion">Its data; empty where nobody knows.</param>
    /// <param name="gameVersion">Its version as people write it; empty where nobody knows.</param>
    /// <exception cref="GameException">It is not there.</exception>
    internal GameLaunch Exact(Replay replay, int build, string dataVersion, string gameVersion) =>
        Installed(build, dataVersion) ?? throw Missing(replay, build, gameVersion);

    private GameLaunch? Installed(int build, string dataVersion) => Installation!.OfBuild(environment, build) is { } exact
        ? newest.With(exact) with { DataVersion = dataVersion.Length > 0 ? dataVersion : null }
        : null;

    private GameException Missing(Replay replay, int build, string version)
    {
        var there = Installation!.Builds(environment);
        return new GameException(
            $"{replay.Path} was played in {(version.Length > 0 ? $"version {version}" : "another version")} of "
            + $"StarCraft II: Versions/Base{build} is not in {Installation.Root} (there is "
            + $"{string.Join(", ", there)}). "
            + (CanDownload
                ? "Open the replay once in the game itself, which downloads it."
                : "Unpack Blizzard's Linux package of that version there."));
    }
}
