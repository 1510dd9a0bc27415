namespace Sc2Bridge.Games;

/// <summary>A field that observations of one game have, and those of the other have not.</summary>
/// <param name="Of">Whose observations: <c>observer</c> or <c>player</c>.</param>
/// <param name="Field">Its path in a <c>ResponseObservation</c>.</param>
/// <param name="Game">How many messages of the game had it.</param>
/// <param name="Simulated">How many of the simulated game.</param>
public sealed record FieldDifference(string Of, string Field, int Game, int Simulated);

/// <summary>A game beside the simulated one.</summary>
public sealed record GameCheckReport
{
    /// <summary>What the game calls its version.</summary>
    public required string GameVersion { get; init; }

    /// <summary>The version of its data, as <c>-dataVersion</c> takes it.</summary>
    public required string DataVersion { get; init; }

    /// <summary>The number of its <c>Versions/Base…</c>.</summary>
    public required uint BaseBuild { get; init; }

    /// <summary>The build of its data.</summary>
    public required uint DataBuild { get; init; }

    /// <summary>Whether it is the simulated game itself.</summary>
    public required bool Simulated { get; init; }

    /// <summary>The map's name, as the game tells it.</summary>
    public required string Map { get; init; }

    /// <summary>Observations of each game that were compared.</summary>
    public required int Observations { get; init; }

    /// <summary>Fields that observations of both have.</summary>
    public required int CommonFields { get; init; }

    /// <summary>Fields that those of one alone have.</summary>
    public required IReadOnlyList<FieldDifference> Fields { get; init; }

    /// <summary>Requests that were tried in the table's states.</summary>
    public required int Requests { get; init; }

    /// <summary>What was answered otherwise than the conformance table says, a line each.</summary>
    public required IReadOnlyList<string> Answers { get; init; }
}
