using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Sc2Bridge.Streaming;

/// <summary>What holds for every subscription of a hub.</summary>
public sealed record HubOptions
{
    /// <summary>
    /// How long a step waits for the lockstep agents, all together; 10 s where nothing else is said.
    /// <see cref="Timeout.InfiniteTimeSpan"/> waits for ever.
    /// </summary>
    public TimeSpan LockstepDeadline { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The steps that a lockstep agent may leave unanswered: with the last of them it is dropped. A deadline that
    /// passes again before it says anything counts as another, so one that hangs is dropped after this many.
    /// </summary>
    public int MostMissedDeadlines { get; init; } = 3;

    /// <summary>
    /// How long the game waits for a subscriber whose full queue pauses it, and that takes no frame meanwhile: then it
    /// is dropped. <see cref="Timeout.InfiniteTimeSpan"/> waits for ever. The bridge's own subscribers have bounds of
    /// their own.
    /// </summary>
    public TimeSpan PauseDeadline { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// How long an agent that plays under POLICY_LATEST may say nothing while frames come, or take none of them where
    /// it has never acknowledged one: then it is dropped. An order to a world of ten seconds ago is refused as it is.
    /// </summary>
    public TimeSpan AgentTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// The bytes that may wait for one subscriber that does not say how many: 64 MiB, about 400 late-game frames
    /// (18 seconds at 22.4 a second). Frames are shared, so many slow readers of one game cost little more than one.
    /// </summary>
    public long DefaultQueueBytes { get; init; } = 64L << 20;

    /// <summary>The most that a subscriber may ask for: 1 GiB.</summary>
    public long LongestQueueBytes { get; init; } = 1L << 30;

    /// <summary>
    /// Whose key opens which side; null where any subscriber may hear any perspective, and ask any game.
    /// </summary>
    public SideKeys? Keys { get; init; }

    /// <summary>Where the hub, and what runs matches in it, logs to.</summary>
    public ILoggerFactory LoggerFactory { get; init; } = NullLoggerFactory.Instance;

    /// <summary>The clock of the deadlines.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
