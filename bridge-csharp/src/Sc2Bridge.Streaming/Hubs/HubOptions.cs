using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Sc2Bridge.Streaming;

/// <summary>Settings of a hub and its subscriptions.</summary>
public sealed record HubOptions
{
    /// <summary>Gets the wishes of clients that the match begins again; null refuses them, as by default.</summary>
    public Restarts? Restarts { get; init; }

    /// <summary>
    /// How long a step waits for the lockstep agents, all together; 10 s by default.
    /// <see cref="Timeout.InfiniteTimeSpan"/> waits for ever.
    /// </summary>
    public TimeSpan LockstepDeadline { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How many steps a lockstep agent may leave unanswered before it is dropped. A deadline that passes again while it
    /// is silent counts once more, so an agent that hangs is dropped after this many deadlines.
    /// </summary>
    public int MostMissedDeadlines { get; init; } = 3;

    /// <summary>
    /// How long the game waits for a subscriber whose full queue pauses it and that takes no frame meanwhile; then the
    /// subscriber is dropped. <see cref="Timeout.InfiniteTimeSpan"/> waits for ever. The bridge's own subscribers have
    /// bounds of their own.
    /// </summary>
    public TimeSpan PauseDeadline { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// How long an agent that plays under POLICY_LATEST may send nothing while frames come (or, where it has never
    /// acknowledged one, take none of them) before it is dropped.
    /// </summary>
    public TimeSpan AgentTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// Queue bytes of a subscriber that does not ask for a number: 64 MiB, about 400 late-game frames
    /// (18 seconds at 22.4 a second). Frames are shared, so many slow readers of one game cost little more than one.
    /// </summary>
    public long DefaultQueueBytes { get; init; } = 64L << 20;

    /// <summary>The most that a subscriber may ask for: 1 GiB.</summary>
    public long LongestQueueBytes { get; init; } = 1L << 30;

    /// <summary>
    /// The most memory, in bytes, that frames, what is made of them and what waits for agents and logs may take; past it
    /// the subscriber that holds most is ended.
    /// </summary>
    public long MemoryCeiling { get; init; } = MemoryLedger.DefaultCeiling;

    /// <summary>
    /// Whether sides are kept apart: who shows no token sees none and queries no game. Else any subscriber may see any
    /// perspective, but those whose token is one side's.
    /// </summary>
    public bool SidesApart { get; init; }

    /// <summary>Every how many steps one is traced, where somebody takes traces; 0 for none.</summary>
    public int TraceEvery { get; init; }

    /// <summary>Loggers of the hub and of what runs matches in it.</summary>
    public ILoggerFactory LoggerFactory { get; init; } = NullLoggerFactory.Instance;

    /// <summary>The clock of the deadlines.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
