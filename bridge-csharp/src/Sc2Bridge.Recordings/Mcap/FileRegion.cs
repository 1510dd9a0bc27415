namespace Sc2Bridge.Recordings.Mcap;

/// <summary>The kind of a <see cref="FileRegion"/>.</summary>
internal enum RegionKind
{
    /// <summary>A chunk.</summary>
    Chunk,

    /// <summary>Consecutive records outside of chunks.</summary>
    Run,

    /// <summary>Damaged bytes.</summary>
    Damage,
}

/// <summary>A region of the file that is read as a whole: a chunk, consecutive records outside of chunks, or damaged bytes.</summary>
/// <param name="Kind">The kind.</param>
/// <param name="Offset">The position of the first byte.</param>
/// <param name="Length">The size in bytes, including record heads.</param>
internal sealed record FileRegion(RegionKind Kind, long Offset, long Length)
{
    /// <summary>The chunk's entry in the summary; null if the summary does not list the chunk.</summary>
    public ChunkIndex? Index { get; init; }

    /// <summary>The damage of a region of the kind <see cref="RegionKind.Damage"/>.</summary>
    public McapException? Damage { get; init; }

    /// <summary>Whether the region may contain messages of a channel. False only if the summary lists the region's channels, but not this one.</summary>
    public bool MayContain(ushort channel) =>
        Index is not { MessageIndexOffsets.Count: > 0 } index || index.MessageIndexOffsets.ContainsKey(channel);
}
