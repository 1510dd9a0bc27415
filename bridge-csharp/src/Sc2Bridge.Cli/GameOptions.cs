using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>Which game is played on.</summary>
internal enum GameChoice
{
    /// <summary>
    /// StarCraft II where it is installed, else the simulated game; a replay on the game that saved it.
    /// </summary>
    Auto,

    /// <summary>StarCraft II.</summary>
    Starcraft,

    /// <summary>The simulated game.</summary>
    Simulated,
}

/// <summary>The game that a command was asked to play on.</summary>
internal sealed record GameOptions
{
    /// <summary>Which game.</summary>
    public GameChoice Game { get; init; }

    /// <summary>A game that runs already, as HOST:PORT; null starts one.</summary>
    public string? Attach { get; init; }

    /// <summary>The port that a started game listens on; 0 for one that is free.</summary>
    public int Port { get; init; }

    /// <summary>How long a started game may take to listen; null for the game's own.</summary>
    public TimeSpan? StartDeadline { get; init; }

    /// <summary>How long the game may take to answer; null for the bridge's own.</summary>
    public TimeSpan? AnswerDeadline { get; init; }

    /// <summary>How the game's connection is treated.</summary>
    internal GameClientOptions Client => AnswerDeadline is { } deadline
        ? new GameClientOptions { RequestTimeout = deadline, LoadTimeout = deadline }
        : new GameClientOptions();

    /// <summary>Observation files for the simulated game to answer with; null for its own world.</summary>
    public string? Observations { get; init; }
}
