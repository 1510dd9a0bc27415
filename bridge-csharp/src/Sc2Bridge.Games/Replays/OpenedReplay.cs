using SC2APIProtocol;

namespace Sc2Bridge.Games;

/// <summary>A replay, and the game that is ready to play it.</summary>
/// <param name="Replay">The replay.</param>
/// <param name="Game">The game.</param>
/// <param name="Ping">The game's versions.</param>
/// <param name="Info">What the game tells of the replay; null where it cannot.</param>
/// <param name="Problem">Why it cannot.</param>
internal sealed record OpenedReplay(
    Replay Replay, RunningGame Game, ResponsePing Ping, ResponseReplayInfo? Info, string? Problem)
{
    /// <summary>The build that plays it; null where nobody knows.</summary>
    public int? BaseBuild => Info is { BaseBuild: > 0 and <= int.MaxValue } info
        ? (int)info.BaseBuild
        : Replay.Head.BaseBuild;

    /// <summary>The data that it was played with; empty where nobody knows.</summary>
    public string DataVersion => Info is { DataVersion.Length: > 0 } info ? info.DataVersion : Replay.Head.DataVersion;

    /// <summary>The version as people write it; empty where nobody knows.</summary>
    public string GameVersion => Info is { GameVersion.Length: > 0 } info ? info.GameVersion : Replay.Head.GameVersion;

    /// <summary>Whether the game is the one that it was played in. One that does not number itself is any.</summary>
    public bool IsOfItsVersion => Ping.BaseBuild == 0 || BaseBuild is null
        || (Ping.BaseBuild == BaseBuild && (DataVersion.Length == 0
            || DataVersion.Equals(Ping.DataVersion, StringComparison.OrdinalIgnoreCase)));
}
