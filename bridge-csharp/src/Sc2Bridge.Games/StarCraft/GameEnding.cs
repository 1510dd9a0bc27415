using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>How the game's API behaves around a match's end.</summary>
internal static class GameEnding
{
    /// <summary>Matches end at this game loop at the latest.</summary>
    internal const uint LastLoop = 1u << 19;

    /// <summary>The game loop of the stub observation that can come last.</summary>
    internal const uint StubLoop = uint.MaxValue;

    private static readonly string[] Words =
    [
        "game has already ended", // also "Not supported if game has already ended"
        "not in a game", // in real time
    ];

    /// <summary>
    /// True where the game refuses because the match is over, which it may while its status still says in_game.
    /// </summary>
    internal static bool Says(IEnumerable<string> errors) =>
        errors.Any(error => Words.Any(words => error.Contains(words, StringComparison.OrdinalIgnoreCase)));

    /// <summary>The results in an observation, by player id: their order in the message means nothing.</summary>
    internal static IReadOnlyList<PlayerResult> Results(ReadOnlySpan<byte> observation) =>
        [.. ResponseObservation.Parser.ParseFrom(observation).PlayerResult.OrderBy(result => result.PlayerId)];
}
