namespace Sc2Bridge.Streaming;

/// <summary>What went wrong with an agent.</summary>
public enum AgentTroubleKind
{
    /// <summary>The agent broke another rule, or its token has expired. The detail has the reason.</summary>
    Refused,

    /// <summary>The agent's connection ended while the match ran.</summary>
    Left,

    /// <summary>The agent ended its stream of messages while it played.</summary>
    EndedStream,

    /// <summary>The agent's connection ended after the match, before it had read the last event.</summary>
    LeftAfterEnd,

    /// <summary>A lockstep agent did not answer a step in time. The match continues without it.</summary>
    MissedDeadline,

    /// <summary>The agent was dropped, because it was late or silent for too long, or took no frames while the game waited.</summary>
    TooLate,

    /// <summary>The agent was dropped, because its queue was too long or the bridge had too little memory.</summary>
    TooFarBehind,

    /// <summary>The agent was dropped by a defect of the bridge.</summary>
    BridgeFailed,
}

/// <summary>An agent left, was dropped, or was late.</summary>
/// <param name="Agent">The agent's name.</param>
/// <param name="Kind">What happened.</param>
/// <param name="Detail">The reason in words; empty if the agent only left.</param>
/// <param name="Side">The player whose side the agent plays, or played; null if it only watches.</param>
/// <param name="Perspective">The perspective that the agent watches.</param>
/// <param name="Step">The step that the agent was working on; null if it had taken no step.</param>
/// <param name="WaitedFor">How long the match waited for the agent at that step, in nanoseconds.</param>
public readonly record struct AgentTrouble(
    string Agent, AgentTroubleKind Kind, string Detail, uint? Side, uint Perspective, ulong? Step, long WaitedFor = 0);
