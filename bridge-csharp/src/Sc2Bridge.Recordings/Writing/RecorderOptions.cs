namespace Sc2Bridge.Recordings.Writing;

/// <summary>What bounds a recorder.</summary>
public sealed record RecorderOptions
{
    /// <summary>
    /// How long a match waits for a disk to make room before it goes on unrecorded: 10 s where nothing else is said.
    /// </summary>
    public TimeSpan DiskDeadline { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long the recording's end waits for a disk that takes nothing: 10 s where nothing else is said.</summary>
    public TimeSpan EndDeadline { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The bytes that may wait for the disk, compressed, before the match waits too: 8 MiB, some 2,000 late steps.
    /// </summary>
    public long MostWaiting { get; init; } = 8 << 20;

    /// <summary>
    /// The bytes of observations that may wait to be compressed: 64 MiB, about 400 late ones, as for other subscribers.
    /// </summary>
    public long QueueBytes { get; init; } = 64 << 20;

    /// <summary>The bytes of other rows (steps, requests) that may wait for the recorder: 16 MiB.</summary>
    public long RowBytes { get; init; } = 16 << 20;
}
