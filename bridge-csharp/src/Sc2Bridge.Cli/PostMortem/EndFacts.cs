using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>What is known about a started agent after its match.</summary>
/// <param name="Name">The agent's name.</param>
/// <param name="ExitCode">The exit code; 128 plus the signal's number if a signal ended it. Null if it still runs.</param>
/// <param name="KilledByBridge">Whether the bridge killed it, because it made no progress after the match.</param>
/// <param name="Lines">The last lines of its output.</param>
/// <param name="Traceback">The last lines of its standard error from the first traceback on; empty without a traceback.</param>
internal sealed record AgentFacts(
    string Name, int? ExitCode, bool KilledByBridge, IReadOnlyList<string> Lines, IReadOnlyList<string> Traceback);

/// <summary>What is known about a bot behind the proxy.</summary>
/// <param name="Player">The player that it plays.</param>
/// <param name="Fault">Its failure; null if it did not fail.</param>
/// <param name="Steps">The times of its last steps.</param>
internal sealed record BotFacts(uint Player, BotFault? Fault, IReadOnlyList<BotStep> Steps);

/// <summary>A pause of the whole bridge, in nanoseconds of Unix time.</summary>
/// <param name="FromNs">The beginning.</param>
/// <param name="ToNs">The end.</param>
/// <param name="GameLoop">The game loop of the newest observation then.</param>
internal readonly record struct BridgePause(long FromNs, long ToNs, uint GameLoop)
{
    /// <summary>Its length in microseconds.</summary>
    internal double Us => (ToNs - FromNs) / 1e3;
}

/// <summary>What a session knows about a match that has ended, for its post-mortem.</summary>
internal sealed record EndFacts
{
    /// <summary>The match; null if it did not start.</summary>
    internal MatchDescription? Description { get; set; }

    /// <summary>The rate of the match.</summary>
    internal StepRate? Rate { get; set; }

    /// <summary>How the match ended; null if its end was not reported.</summary>
    internal MatchEnd? End { get; set; }

    /// <summary>Whether the user stopped the match. Then the programs that end with it have not failed.</summary>
    internal bool WasStopped => End?.Reason == EndReason.Stopped;

    /// <summary>The game loop of the newest observation; null without an observation.</summary>
    internal uint? GameLoop { get; set; }

    /// <summary>The game's failure.</summary>
    internal GameException? GameFailure { get; set; }

    /// <summary>The exception that ended the match or its start; null if it ended without an exception.</summary>
    internal Exception? Error { get; set; }

    /// <summary>Whether the bridge was killed, so that another process writes this.</summary>
    internal bool IsBridgeKilled { get; set; }

    /// <summary>The lines of the exception that ended the bridge's process; null without one.</summary>
    internal IReadOnlyList<string>? BridgeCrash { get; set; }

    /// <summary>The agents that the session started.</summary>
    internal IReadOnlyList<AgentFacts> Agents { get; set; } = [];

    /// <summary>The bots behind the proxy.</summary>
    internal IReadOnlyList<BotFacts> Bots { get; set; } = [];

    /// <summary>Agents that left, were dropped or were late, in order.</summary>
    internal IReadOnlyList<AgentTrouble> Troubles { get; set; } = [];

    /// <summary>The names of agents that received the end of the match, also after they reconnected.</summary>
    internal IReadOnlySet<string> CompletedAgents { get; set; } = new HashSet<string>();

    /// <summary>The newest step whose times an agent reported after a missed deadline, by the agent's name.</summary>
    internal IReadOnlyDictionary<string, ulong> ReportedSteps { get; set; } = new Dictionary<string, ulong>();

    /// <summary>The pauses of the whole bridge.</summary>
    internal IReadOnlyList<BridgePause> Pauses { get; set; } = [];

    /// <summary>Whether the system killed a process during the match because no memory was left.</summary>
    internal bool HasSystemRunOutOfMemory { get; set; }
}
