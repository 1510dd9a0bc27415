using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>The limits of a recorder.</summary>
public sealed record RecorderOptions
{
    /// <summary>
    /// How long a match waits for the disk before it continues without being recorded. Default: 10 s.
    /// </summary>
    public TimeSpan DiskDeadline { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long the end of the recording waits for a disk that accepts no data. Default: 10 s.</summary>
    public TimeSpan EndDeadline { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The maximum bytes of unwritten observations, in the open chunk and in the queue. A match that can wait pauses above this limit. If
    /// the process is killed, at most this many bytes are lost. Default: 8 MiB.
    /// </summary>
    public int MostLost { get; init; } = McapWriter.UsualChunkSize;

    /// <summary>
    /// In real time: the limit of the recorder's queue, in bytes of observations that wait for compression. Default: 64 MiB, about 400
    /// observations late in a match.
    /// </summary>
    public long QueueBytes { get; init; } = 64 << 20;

    /// <summary>
    /// In real time: if more compressed bytes than this wait for the disk, further frames and rows must wait. Default: 8 MiB, about 2,000
    /// steps late in a match. Other matches wait until each chunk is written.
    /// </summary>
    public long MostWaiting { get; init; } = 8 << 20;

    /// <summary>The maximum bytes of rows (steps, requests, actions) that wait for the recorder. Default: 16 MiB.</summary>
    public long RowBytes { get; init; } = 16 << 20;
}
