namespace Sc2Bridge.Games;

/// <summary>A field that only the observations of one of the two games have.</summary>
/// <param name="Of">The kind of observations: <c>observer</c> or <c>player</c>.</param>
/// <param name="Field">The field's path in a <c>ResponseObservation</c>.</param>
/// <param name="Game">How many observations of the game had the field.</param>
/// <param name="Simulated">How many observations of the simulated game had the field.</param>
public sealed record FieldDifference(string Of, string Field, int Game, int Simulated);

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

    /// <summary>The map's name in the game.</summary>
    public required string Map { get; init; }

    /// <summary>How many observations of each game were compared.</summary>
    public required int Observations { get; init; }

    /// <summary>The number of fields that the observations of both games have.</summary>
    public required int CommonFields { get; init; }

    /// <summary>The fields that only the observations of one game have.</summary>
    public required IReadOnlyList<FieldDifference> Fields { get; init; }

    /// <summary>How many requests were tried, counted over all game states of the conformance table.</summary>
    public required int Requests { get; init; }

    /// <summary>One line for each answer that differs from the conformance table.</summary>
    public required IReadOnlyList<string> Answers { get; init; }
}
