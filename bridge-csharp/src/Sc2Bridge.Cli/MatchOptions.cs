using Sc2Bridge.Games;

namespace Sc2Bridge.Cli;

/// <summary>Which game a match is played on.</summary>
public enum GameChoice
{
    /// <summary>StarCraft II where it is installed, else the simulated game.</summary>
    Auto,

    /// <summary>StarCraft II.</summary>
    Starcraft,

    /// <summary>The simulated game.</summary>
    Simulated,
}

/// <summary>What <c>sc2bridge match</c> was asked for beyond the match itself.</summary>
public sealed record MatchOptions
{
    /// <summary>The match.</summary>
    public required MatchSettings Settings { get; init; }

    /// <summary>Which game.</summary>
    public GameChoice Game { get; init; }

    /// <summary>A game that runs already, as HOST:PORT; null starts one.</summary>
    public string? Attach { get; init; }

    /// <summary>The port that a started game listens on; 0 for one that is free.</summary>
    public int GamePort { get; init; }

    /// <summary>How long a started game may take to listen; null for the game's own.</summary>
    public TimeSpan? StartDeadline { get; init; }

    /// <summary>Observation files for the simulated game to answer with; null for its own world.</summary>
    public string? Observations { get; init; }

    /// <summary>The agents, the servers and the logs.</summary>
    public required SessionOptions Session { get; init; }
}
