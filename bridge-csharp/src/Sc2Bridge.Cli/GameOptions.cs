using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>The choice of the game.</summary>
internal enum GameChoice
{
    /// <summary>
    /// StarCraft II if it is installed, else the simulated game. For a replay, the game that saved the replay.
    /// </summary>
    Auto,

    /// <summary>StarCraft II.</summary>
    Starcraft,

    /// <summary>The simulated game.</summary>
    Simulated,
}

/// <summary>The options of a command that choose the game, start it, or connect to it.</summary>
internal sealed record GameOptions
{
    /// <summary>The game to use.</summary>
    public GameChoice Game { get; init; }

    /// <summary>A game that runs already, as HOST:PORT; null to start a game.</summary>
    public string? Attach { get; init; }

    /// <summary>The port that a started game listens on; 0 for a free port.</summary>
    public int Port { get; init; }

    /// <summary>How long a started game may take to listen; null for the game's default.</summary>
    public TimeSpan? StartDeadline { get; init; }

    /// <summary>How long the game may take to answer; null for the bridge's default.</summary>
    public TimeSpan? AnswerDeadline { get; init; }

    /// <summary>Options of the connection to the game.</summary>
    internal GameClientOptions ClientOptions => AnswerDeadline is { } deadline
        ? new GameClientOptions { RequestTimeout = deadline, LoadTimeout = deadline }
        : new GameClientOptions();

    /// <summary>A folder of observation files that the simulated game answers with; null to simulate a match.</summary>
    public string? Observations { get; init; }
}
