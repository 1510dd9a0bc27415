namespace Sc2Bridge.Games;

/// <summary>A difference between the game and the simulated game.</summary>
/// <param name="Kind"><c>field</c>, <c>range</c>, <c>data</c>, <c>answer</c> or <c>time</c>.</param>
/// <param name="What">The field's path, the table of <c>ResponseData</c>, or the request.</param>
/// <param name="In">The parts of the check, or the states of the game, with this difference.</param>
/// <param name="Game">What the game does.</param>
/// <param name="Simulated">What the simulated game does.</param>
/// <param name="Known">Since which build this is known, with the source; null if the difference is new.</param>
/// <param name="Answer">The beginning of the game's answer, for requests.</param>
public sealed record GameDifference(
    string Kind, string What, IReadOnlyList<string> In, string Game, string Simulated, string? Known = null, string? Answer = null);

/// <summary>One part of the check.</summary>
/// <param name="Name"><c>bridge</c>, <c>proxy</c>, <c>replay</c>, <c>real time</c> or <c>requests</c>.</param>
/// <param name="Seconds">The seconds that the game took.</param>
/// <param name="Problem">Why the game did not play the part to its end; null if it did.</param>
/// <param name="SimulatedProblem">Why the simulated game did not play the part to its end; null if it did.</param>
/// <param name="Times">The times of the requests of the part.</param>
public sealed record CheckedPart(
    string Name, double Seconds, string? Problem, string? SimulatedProblem, IReadOnlyList<PartTime> Times);

/// <summary>How long the two games took for a request.</summary>
/// <param name="Request">The request. The bridge sends a step and its observation together.</param>
/// <param name="Count">How often the game answered.</param>
/// <param name="GameMedianMs">The median in the game, in milliseconds.</param>
/// <param name="GameLongestMs">The longest in the game, in milliseconds.</param>
/// <param name="SimulatedMedianMs">The median in the simulated game, in milliseconds; null if it did not play the part.</param>
public sealed record PartTime(string Request, int Count, double GameMedianMs, double GameLongestMs, double? SimulatedMedianMs);

/// <summary>The comparison of a game with the simulated game.</summary>
public sealed record GameCheckReport
{
    /// <summary>The game's version.</summary>
    public required string GameVersion { get; init; }

    /// <summary>The version of the game's data, for <c>-dataVersion</c>.</summary>
    public required string DataVersion { get; init; }

    /// <summary>The number in the name of the game's folder <c>Versions/Base…</c>.</summary>
    public required uint BaseBuild { get; init; }

    /// <summary>The build of the game's data.</summary>
    public required uint DataBuild { get; init; }

    /// <summary>Whether the game is the simulated game itself.</summary>
    public required bool Simulated { get; init; }

    /// <summary>The map's name in the game; empty if no match began.</summary>
    public required string Map { get; init; }

    /// <summary>The parts, in their order.</summary>
    public required IReadOnlyList<CheckedPart> Parts { get; init; }

    /// <summary>How many observations of the game were compared.</summary>
    public required int Observations { get; init; }

    /// <summary>The number of fields that both games have.</summary>
    public required int CommonFields { get; init; }

    /// <summary>Game loops in a second in real time: 22.4 in StarCraft II. Null if the part failed.</summary>
    public required double? LoopsPerSecond { get; init; }

    /// <summary>The same for the simulated game.</summary>
    public required double? SimulatedLoopsPerSecond { get; init; }

    /// <summary>How many requests the game answered, counted over all game states of the conformance table.</summary>
    public required int Requests { get; init; }

    /// <summary>How many requests of the table were not compared, because a state was not reached or the time was over.</summary>
    public required int RequestsNotCompared { get; init; }

    /// <summary>All differences.</summary>
    public required IReadOnlyList<GameDifference> Differences { get; init; }
}
