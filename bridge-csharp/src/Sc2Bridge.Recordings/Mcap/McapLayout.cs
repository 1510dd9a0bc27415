namespace Sc2Bridge.Recordings.Mcap;

/// <summary>The positions of a file's parts, up to the first damage that ends the scan. The scan does not read chunks.</summary>
internal sealed class McapLayout
{
    /// <summary>The file's first record.</summary>
    public required Header Header { get; init; }

    /// <summary>The declarations outside of chunks, most of them in the summary. Loading a chunk adds the chunk's declarations.</summary>
    public required ChannelTable Channels { get; init; }

    /// <summary>The summary's statistics; null if the file has none.</summary>
    public Statistics? Statistics { get; init; }

    /// <summary>The chunks, the runs of records and the damaged parts, in the order of the file.</summary>
    public List<FileRegion> Regions { get; } = [];

    public List<AttachmentIndex> Attachments { get; } = [];

    public List<MetadataIndex> Metadata { get; } = [];

    /// <summary>Damaged attachments and metadata whose names cannot be read.</summary>
    public List<(long Offset, long Length, McapException Damage)> LostRecords { get; } = [];

    /// <summary>
    /// By region: the channels of a chunk's messages, from the message indexes after the chunk; empty if the indexes
    /// are missing. These hints help to find the chunks that declare channels. They are not checked.
    /// </summary>
    public List<(int Region, ushort[] Channels)> ChannelHints { get; } = [];

    /// <summary>The damage that the scan found; null if it found none. The scan does not read chunks, so a chunk may still be damaged.</summary>
    public McapException? Problem { get; set; }

    /// <summary>The position after the last part.</summary>
    public long End { get; set; }

    /// <summary>
    /// The number of bytes after <see cref="End"/> that cannot be read as records; 0 if the data ends normally.
    /// </summary>
    public long LostTailBytes { get; set; }

    /// <summary>The CRC-32 of the bytes up to <see cref="End"/>; 0 if unknown.</summary>
    public uint DataCrc { get; set; }
}
