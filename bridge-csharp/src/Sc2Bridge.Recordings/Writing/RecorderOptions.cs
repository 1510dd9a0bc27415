using Sc2Bridge.Recordings.Mcap;

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
    /// The bytes of observations, in a chunk and behind it, that the system was not given yet, past which a match that can
    /// wait does: 8 MiB. With a process that is killed no more are lost.
    /// </summary>
    public int MostLost { get; init; } = McapWriter.UsualChunkSize;

    /// <summary>
    /// In real time: the bytes of observations that may wait to be compressed: 64 MiB, about 400 late ones, as for other
    /// subscribers.
    /// </summary>
    public long QueueBytes { get; init; } = 64 << 20;

    /// <summary>
    /// In real time: the bytes that may wait for the disk, compressed, before others wait behind them: 8 MiB, some 2,000
    /// late steps. Of another match it is a chunk.
    /// </summary>
    public long MostWaiting { get; init; } = 8 << 20;

    /// <summary>The bytes of other rows (steps, requests) that may wait for the recorder: 16 MiB.</summary>
    public long RowBytes { get; init; } = 16 << 20;
}
