namespace Sc2Bridge.Recordings.Mcap;

/// <summary>What stands at a place.</summary>
internal enum PlaceKind
{
    /// <summary>A chunk's record.</summary>
    Chunk,

    /// <summary>Records outside of chunks, one behind the other.</summary>
    Run,

    /// <summary>Something else than should.</summary>
    Damage,
}

/// <summary>A stretch of the file that holds messages and is read as one.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Offset">Its first byte.</param>
/// <param name="Length">Bytes, record heads included.</param>
internal sealed record ChunkPlace(PlaceKind Kind, long Offset, long Length)
{
    /// <summary>The summary's entry for a chunk; null where it has none.</summary>
    public ChunkIndex? Index { get; init; }

    /// <summary>Why it cannot be read, of <see cref="PlaceKind.Damage"/>.</summary>
    public McapException? Damage { get; init; }

    /// <summary>Whether messages of a channel may be there: only a summary rules them out.</summary>
    public bool MayHold(ushort channel) =>
        Index is not { MessageIndexOffsets.Count: > 0 } index || index.MessageIndexOffsets.ContainsKey(channel);
}
