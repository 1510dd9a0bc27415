using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Sc2Bridge.Streaming;

/// <summary>Settings of a hub and its subscriptions.</summary>
public sealed record HubOptions
{
    /// <summary>Gets clients' requests to restart the match; null refuses them, which is the default.</summary>
    public Restarts? Restarts { get; init; }

    /// <summary>
    /// The longest time that a step waits for all lockstep agents together. Default: 10 s.
    /// <see cref="Timeout.InfiniteTimeSpan"/> disables the limit.
    /// </summary>
    public TimeSpan LockstepDeadline { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// A lockstep agent is dropped when it has missed this many deadlines. Each step without an answer in time counts once.
    /// While the agent stays silent, each further deadline that passes also counts.
    /// </summary>
    public int MostMissedDeadlines { get; init; } = 3;

    /// <summary>
    /// How long the full queue of a subscriber may pause the game. After this time, the subscriber is dropped.
    /// <see cref="Timeout.InfiniteTimeSpan"/> disables the limit. The bridge's own subscribers have separate limits.
    /// </summary>
    public TimeSpan PauseDeadline { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// How long an agent that plays under POLICY_LATEST may send nothing while frames arrive, before it is dropped. Until the
    /// agent has acknowledged a frame, reading a frame also counts as a sign of life.
    /// </summary>
    public TimeSpan AgentTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// The queue limit in bytes of a subscriber that requests no limit: 64 MiB, about 400 late-game frames (18 seconds at
    /// 22.4 a second). Frames are shared, so many slow subscribers of a match cost little more memory than one.
    /// </summary>
    public long DefaultQueueBytes { get; init; } = 64L << 20;

    /// <summary>The largest queue limit, in bytes, that a subscriber may request: 1 GiB.</summary>
    public long LongestQueueBytes { get; init; } = 1L << 30;

    /// <summary>
    /// The limit, in bytes, of memory for frames, their encodings, and everything that is queued for agents and logs.
    /// Above this limit, the subscription that uses the most memory is ended.
    /// </summary>
    public long MemoryCeiling { get; init; } = MemoryLedger.DefaultCeiling;

    /// <summary>
    /// Whether sides are kept apart. If true, a client without a token sees no side and cannot query a game. If false, any
    /// subscriber may see any perspective, except clients whose token is for one side.
    /// </summary>
    public bool SidesApart { get; init; }

    /// <summary>Traces every Nth step if a trace listener is attached; 0 traces none.</summary>
    public int TraceEvery { get; init; }

    /// <summary>Loggers of the hub and of the code that runs matches in it.</summary>
    public ILoggerFactory LoggerFactory { get; init; } = NullLoggerFactory.Instance;

    /// <summary>The clock for deadlines.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
