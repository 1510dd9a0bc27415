using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// Chooses the version of the game for a replay, among the installed versions. It reads the installation and starts nothing.
/// </summary>
/// <param name="newest">The newest installed game; or the simulated game, which has no installation and only one version.</param>
/// <param name="environment">The machine with the installation.</param>
internal sealed class ReplayVersions(GameLaunch newest, ISystemEnvironment environment)
{
    /// <summary>The installation; null for the simulated game.</summary>
    internal Installation? Installation => newest.Installation;

    // On Windows and macOS, the newest game downloads the version that an old replay needs. Blizzard's Linux packages cannot
    // download (protocol.md, "Downloading Old Versions").
    private bool CanDownload => Installation is { Platform: not GamePlatform.Linux };

    /// <summary>
    /// Chooses the game that is asked first about a replay. If the replay's file contains a version, the game of that version is
    /// chosen. Otherwise the running game is chosen, or the newest game if no game runs.
    /// </summary>
    /// <param name="replay">The replay.</param>
    /// <param name="running">The running game; null if no game runs.</param>
    /// <returns>
    /// The game, and whether the game must first download the replay's version, which takes time.
    /// </returns>
    /// <exception cref="GameException">The version is not installed and cannot be downloaded.</exception>
    internal (GameLaunch Launch, bool Downloads) ChooseFirst(Replay replay, GameLaunch? running)
    {
        if (Installation is null || replay.Head is not { BaseBuild: { } build } head)
        {
            return (running ?? newest, false);
        }

        if (build < Installation.OldestBuild)
        {
            throw new GameException(
                $"{replay.Path} was played in version {head.GameVersion} of StarCraft II (build {build}), which is older "
                + $"than {Installation.OldestBuild}, the oldest build that can play replays for other programs.");
        }

        return FindInstalled(build, head.DataVersion) is { } exact ? (exact, false)
            : CanDownload ? (newest, true)
            : throw Missing(replay, build, head.GameVersion);
    }

    /// <summary>Chooses the installed game that plays a replay, from the information that a game has reported about the replay.</summary>
    /// <param name="replay">The replay.</param>
    /// <param name="build">The replay's build.</param>
    /// <param name="dataVersion">The replay's data version; empty if unknown.</param>
    /// <param name="gameVersion">The replay's version as users know it; empty if unknown.</param>
    /// <exception cref="GameException">The version is not installed.</exception>
    internal GameLaunch ChooseExact(Replay replay, int build, string dataVersion, string gameVersion) =>
        FindInstalled(build, dataVersion) ?? throw Missing(replay, build, gameVersion);

    private GameLaunch? FindInstalled(int build, string dataVersion) => Installation!.OfBuild(environment, build) is { } exact
        ? newest.WithInstallation(exact) with { DataVersion = dataVersion.Length > 0 ? dataVersion : null }
        : null;

    private GameException Missing(Replay replay, int build, string version)
    {
        var installed = Installation!.Builds(environment);
        return new GameException(
            $"{replay.Path} was played in {(version.Length > 0 ? $"version {version}" : "another version")} of "
            + $"StarCraft II: Versions/Base{build} is not in {Installation.Root} (installed: "
            + $"{string.Join(", ", installed)}). "
            + (CanDownload
                ? "Open the replay once in the game itself, which downloads it."
                : "Unpack Blizzard's Linux package of that version into this folder."));
    }
}
