namespace Sc2Bridge.Recordings.Mcap;

/// <summary>What stands where in a file, as far as it is whole; nothing of a chunk is read for it.</summary>
internal sealed class McapLayout
{
    /// <summary>The file's first record.</summary>
    public required Header Header { get; init; }

    /// <summary>What is declared outside of chunks, in the summary above all; loading a chunk adds to it.</summary>
    public required ChannelTable Channels { get; init; }

    /// <summary>Messages by channel; null where there is no summary that tells.</summary>
    public Statistics? Statistics { get; init; }

    /// <summary>Where messages stand, in the order of the file.</summary>
    public List<ChunkPlace> Places { get; } = [];

    public List<AttachmentIndex> Attachments { get; } = [];

    public List<MetadataIndex> Metadata { get; } = [];

    /// <summary>Attachments and metadata that cannot be told what they are: from which byte on, how many, and why.</summary>
    public List<(long Offset, long Length, McapException Damage)> Lost { get; } = [];

    /// <summary>
    /// By place, the channels of a chunk's messages as far as its own indexes tell, none where they do not: what to
    /// load to know every channel, and no more than a hint, as nothing guards it.
    /// </summary>
    public List<(int Place, ushort[] Channels)> Hints { get; } = [];

    /// <summary>Why the file is not whole; null where nothing of that is seen from outside of its chunks.</summary>
    public McapException? Problem { get; set; }

    /// <summary>The first byte behind what was found.</summary>
    public long End { get; set; }

    /// <summary>
    /// Bytes from <see cref="End"/> on that cannot be told from each other; 0 where the data ends as it should.
    /// </summary>
    public long LostTail { get; set; }

    /// <summary>The CRC-32 of the bytes up to <see cref="End"/>; 0 where it is not known.</summary>
    public uint DataCrc { get; set; }
}
