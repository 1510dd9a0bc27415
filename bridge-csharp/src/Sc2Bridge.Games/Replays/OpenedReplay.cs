using SC2APIProtocol;

namespace Sc2Bridge.Games;

/// <summary>A replay, and the game that is ready to play it.</summary>
/// <param name="Replay">The replay.</param>
/// <param name="Game">The game.</param>
/// <param name="Ping">The game's versions.</param>
/// <param name="Info">The game's information about the replay; null if the game has none.</param>
/// <param name="Problem">Why the game has no information about the replay; null if the game has information.</param>
internal sealed record OpenedReplay(
    Replay Replay, RunningGame Game, ResponsePing Ping, ResponseReplayInfo? Info, string? Problem)
{
    /// <summary>The build that plays the replay; null if unknown.</summary>
    public int? BaseBuild => Info is { BaseBuild: > 0 and <= int.MaxValue } info
        ? (int)info.BaseBuild
        : Replay.Head.BaseBuild;

    /// <summary>The version of the game's data with which the replay was played; empty if unknown.</summary>
    public string DataVersion => Info is { DataVersion.Length: > 0 } info ? info.DataVersion : Replay.Head.DataVersion;

    /// <summary>The version as users know it, such as 4.10.1.75800; empty if unknown.</summary>
    public string GameVersion => Info is { GameVersion.Length: > 0 } info ? info.GameVersion : Replay.Head.GameVersion;

    /// <summary>Whether the game has the replay's version. If the build of the game or of the replay is unknown, the result is true.</summary>
    public bool HasReplayVersion => Ping.BaseBuild == 0 || BaseBuild is null
        || (Ping.BaseBuild == BaseBuild && (DataVersion.Length == 0
            || DataVersion.Equals(Ping.DataVersion, StringComparison.OrdinalIgnoreCase)));
}
