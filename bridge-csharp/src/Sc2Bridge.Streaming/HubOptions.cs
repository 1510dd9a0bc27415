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
    /// The bytes that may wait for one subscriber that does not say how many: 64 MiB, about 400 late-game frames
    /// (18 seconds at 22.4 a second). Frames are shared, so many slow readers of one game cost little more than one.
    /// </summary>
    public long DefaultQueueBytes { get; init; } = 64L << 20;

    /// <summary>The most that a subscriber may ask for: 1 GiB.</summary>
    public long LongestQueueBytes { get; init; } = 1L << 30;

    /// <summary>The clock of the lockstep deadline.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
