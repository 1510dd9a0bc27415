using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>The behaviour of the game's API around a match's end.</summary>
internal static class GameEnding
{
    /// <summary>The game loop at which a match ends at the latest.</summary>
    internal const uint LastLoop = 1u << 19;

    /// <summary>The game loop of the stub: a placeholder that the game may send as its last observation.</summary>
    internal const uint StubLoop = uint.MaxValue;

    private static readonly string[] EndedErrors =
    [
        "game has already ended", // also "Not supported if game has already ended"
        "not in a game", // in real time
    ];

    /// <summary>
    /// Whether the game's errors report that the match is over. The game may send these errors while it still reports the state in_game.
    /// </summary>
    internal static bool IsReportedIn(IEnumerable<string> errors) =>
        errors.Any(error => EndedErrors.Any(ended => error.Contains(ended, StringComparison.OrdinalIgnoreCase)));

    /// <summary>The results in an observation, in the order of the player ids. Their order in the message has no meaning.</summary>
    internal static IReadOnlyList<PlayerResult> Results(ReadOnlySpan<byte> observation) =>
        [.. ResponseObservation.Parser.ParseFrom(observation).PlayerResult.OrderBy(result => result.PlayerId)];
}
