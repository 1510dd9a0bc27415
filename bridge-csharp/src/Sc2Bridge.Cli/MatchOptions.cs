using System.Globalization;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming.Logging;

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

    /// <summary>The Python agents to start.</summary>
    public required IReadOnlyList<AgentSpec> Agents { get; init; }

    /// <summary>The policy of the started agents: every, latest or lockstep.</summary>
    public required string Policy { get; init; }

    /// <summary>How many subscribers of others to wait for before the first step.</summary>
    public int WaitFor { get; init; }

    /// <summary>The interpreter for the agents; null for the one that was set up.</summary>
    public string? Python { get; init; }

    /// <summary>Where the logs go.</summary>
    public required string OutputFolder { get; init; }

    /// <summary>The address of the gRPC server.</summary>
    public required string GrpcAddress { get; init; }

    /// <summary>The address of the WebSocket server.</summary>
    public required string WebAddress { get; init; }

    /// <summary>Web pages that may connect, beside those of the bridge's own host.</summary>
    public required IReadOnlyList<string> AllowedOrigins { get; init; }

    /// <summary>Whether a WebSocket client that offers permessage-deflate gets it.</summary>
    public bool AllowDeflate { get; init; }

    /// <summary>How long the game waits for a lockstep agent.</summary>
    public required TimeSpan LockstepDeadline { get; init; }

    /// <summary>How often the log times the stock JSON.</summary>
    public CodecLog CodecLog { get; init; }

    /// <summary>Where the summary goes as JSON as well; null for the output folder only.</summary>
    public string? JsonFile { get; init; }

    /// <summary>A folder for a match that begins now.</summary>
    public static string FolderFor(DateTime begin) =>
        Path.Combine("out", begin.ToString("'match-'yyyyMMdd'-'HHmmss", CultureInfo.InvariantCulture));
}
