namespace Sc2Bridge.Recordings.Mcap;

/// <summary>The file's first record.</summary>
/// <param name="Profile">Which agreement beyond the format the file keeps to.</param>
/// <param name="Library">Who wrote it.</param>
public sealed record Header(string Profile, string Library);

/// <summary>The file's last record.</summary>
/// <param name="SummaryStart">Where the summary begins; 0 where there is none.</param>
/// <param name="SummaryOffsetStart">Where its offsets begin; 0 where there are none.</param>
/// <param name="SummaryCrc">
/// CRC-32 of the bytes from the summary's first to this record's <paramref name="SummaryOffsetStart"/>; 0 where it is not
/// known.
/// </param>
internal readonly record struct Footer(ulong SummaryStart, ulong SummaryOffsetStart, uint SummaryCrc);

/// <summary>How messages are to be read.</summary>
/// <param name="Id">Not 0.</param>
/// <param name="Name">In protobuf the message's full name.</param>
/// <param name="Encoding"><see cref="McapFormat.Protobuf"/> or another.</param>
/// <param name="Data">In protobuf a <c>FileDescriptorSet</c> with everything that is imported.</param>
internal sealed record Schema(ushort Id, string Name, string Encoding, ReadOnlyMemory<byte> Data);

/// <summary>A topic with one kind of messages.</summary>
/// <param name="Id">Any number.</param>
/// <param name="SchemaId">0 where there is none.</param>
/// <param name="Topic">Its name.</param>
/// <param name="MessageEncoding"><see cref="McapFormat.Protobuf"/> or another.</param>
/// <param name="Metadata">Named texts.</param>
internal sealed record Channel(
    ushort Id, ushort SchemaId, string Topic, string MessageEncoding, IReadOnlyDictionary<string, string> Metadata);

/// <summary>What stands before a message's data.</summary>
/// <param name="ChannelId">The channel that it is of.</param>
/// <param name="Sequence">A count of the channel's own.</param>
/// <param name="LogTime">Nanoseconds of Unix time, as all times are.</param>
/// <param name="PublishTime">The same.</param>
public readonly record struct MessageHead(ushort ChannelId, uint Sequence, ulong LogTime, ulong PublishTime);

/// <summary>What stands before a chunk's records.</summary>
/// <param name="StartTime">The earliest of its messages' log times; 0 where it has none.</param>
/// <param name="EndTime">The latest; 0 where it has none.</param>
/// <param name="UncompressedSize">Bytes of its records.</param>
/// <param name="UncompressedCrc">CRC-32 of its records, uncompressed; 0 where it is not known.</param>
/// <param name="Compression"><see cref="McapFormat.Zstd"/>, or empty for none.</param>
/// <param name="CompressedSize">The bytes that follow.</param>
internal readonly record struct ChunkHead(
    ulong StartTime, ulong EndTime, ulong UncompressedSize, uint UncompressedCrc, string Compression,
    ulong CompressedSize);

/// <summary>Where a message stands in its chunk.</summary>
/// <param name="LogTime">The message's.</param>
/// <param name="Offset">Of its record, in the chunk's uncompressed records.</param>
internal readonly record struct MessageIndexEntry(ulong LogTime, ulong Offset);

/// <summary>Where a chunk stands in the file.</summary>
/// <param name="StartTime">The chunk's.</param>
/// <param name="EndTime">The chunk's.</param>
/// <param name="ChunkOffset">Of the chunk's record.</param>
/// <param name="ChunkLength">Of the whole record.</param>
/// <param name="MessageIndexOffsets">By channel, the offset of its message index.</param>
/// <param name="MessageIndexLength">Of all of them.</param>
/// <param name="Compression">The chunk's.</param>
/// <param name="CompressedSize">The chunk's.</param>
/// <param name="UncompressedSize">The chunk's.</param>
internal sealed record ChunkIndex(
    ulong StartTime, ulong EndTime, ulong ChunkOffset, ulong ChunkLength,
    IReadOnlyDictionary<ushort, ulong> MessageIndexOffsets, ulong MessageIndexLength, string Compression,
    ulong CompressedSize, ulong UncompressedSize);

/// <summary>A named file inside the file.</summary>
/// <param name="LogTime">When it was recorded.</param>
/// <param name="CreateTime">When it was made; 0 where that is not known.</param>
/// <param name="Name">Its name.</param>
/// <param name="MediaType">What its bytes are.</param>
/// <param name="Data">Its bytes.</param>
internal sealed record Attachment(
    ulong LogTime, ulong CreateTime, string Name, string MediaType, ReadOnlyMemory<byte> Data);

/// <summary>Where an attachment stands in the file.</summary>
/// <param name="Offset">Of its record.</param>
/// <param name="Length">Of its whole record.</param>
/// <param name="LogTime">The attachment's, as all that follow.</param>
/// <param name="CreateTime">See there.</param>
/// <param name="DataSize">Bytes of its data.</param>
/// <param name="Name">See there.</param>
/// <param name="MediaType">See there.</param>
internal sealed record AttachmentIndex(
    ulong Offset, ulong Length, ulong LogTime, ulong CreateTime, ulong DataSize, string Name, string MediaType);

/// <summary>Named texts.</summary>
/// <param name="Name">What they are together.</param>
/// <param name="Texts">Each by its name.</param>
internal sealed record Metadata(string Name, IReadOnlyDictionary<string, string> Texts);

/// <summary>Where a metadata record stands in the file.</summary>
/// <param name="Offset">Of the record.</param>
/// <param name="Length">Of the whole record.</param>
/// <param name="Name">The record's.</param>
internal sealed record MetadataIndex(ulong Offset, ulong Length, string Name);

/// <summary>How much there is of everything in the file.</summary>
/// <param name="MessageCount">Messages.</param>
/// <param name="SchemaCount">Schemas.</param>
/// <param name="ChannelCount">Channels.</param>
/// <param name="AttachmentCount">Attachments.</param>
/// <param name="MetadataCount">Metadata records.</param>
/// <param name="ChunkCount">Chunks.</param>
/// <param name="StartTime">The earliest log time of a message; 0 where there is none.</param>
/// <param name="EndTime">The latest; 0 where there is none.</param>
/// <param name="ChannelMessageCounts">Messages by channel; channels without one may be missing.</param>
internal readonly record struct Statistics(
    ulong MessageCount, ushort SchemaCount, uint ChannelCount, uint AttachmentCount, uint MetadataCount,
    uint ChunkCount, ulong StartTime, ulong EndTime, IReadOnlyDictionary<ushort, ulong> ChannelMessageCounts);

/// <summary>Where the summary's records of one kind stand in the file.</summary>
/// <param name="Group">The kind.</param>
/// <param name="Start">Of the first one's record.</param>
/// <param name="Length">Of all of them.</param>
internal readonly record struct SummaryOffset(Opcode Group, ulong Start, ulong Length);

/// <summary>The last record before the summary.</summary>
/// <param name="DataSectionCrc">CRC-32 of the file's bytes up to this record; 0 where it is not known.</param>
internal readonly record struct DataEnd(uint DataSectionCrc);
