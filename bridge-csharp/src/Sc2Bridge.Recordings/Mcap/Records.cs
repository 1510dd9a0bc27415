namespace Sc2Bridge.Recordings.Mcap;

/// <summary>The file's first record.</summary>
/// <param name="Profile">The name of the additional rules that the file follows.</param>
/// <param name="Library">The program that wrote the file.</param>
public sealed record Header(string Profile, string Library);

/// <summary>The file's last record.</summary>
/// <param name="SummaryStart">The position of the summary; 0 if the file has no summary.</param>
/// <param name="SummaryOffsetStart">The position of the first <see cref="SummaryOffset"/> record; 0 if the file has no such records.</param>
/// <param name="SummaryCrc">
/// CRC-32 of the bytes from the start of the summary up to and including <paramref name="SummaryOffsetStart"/>; 0 if unknown.
/// </param>
internal readonly record struct Footer(ulong SummaryStart, ulong SummaryOffsetStart, uint SummaryCrc);

/// <summary>The format of messages.</summary>
/// <param name="Id">The number; not 0.</param>
/// <param name="Name">For protobuf: the message's full name.</param>
/// <param name="Encoding">The schema's encoding, such as <see cref="McapFormat.Protobuf"/>.</param>
/// <param name="Data">For protobuf: a <c>FileDescriptorSet</c> with all imported files.</param>
internal sealed record Schema(ushort Id, string Name, string Encoding, ReadOnlyMemory<byte> Data);

/// <summary>A topic with one type of messages.</summary>
/// <param name="Id">The number.</param>
/// <param name="SchemaId">The schema's number; 0 for a channel without a schema.</param>
/// <param name="Topic">The topic.</param>
/// <param name="MessageEncoding">The messages' encoding, such as <see cref="McapFormat.Protobuf"/>.</param>
/// <param name="Metadata">Names and values.</param>
internal sealed record Channel(
    ushort Id, ushort SchemaId, string Topic, string MessageEncoding, IReadOnlyDictionary<string, string> Metadata);

/// <summary>The fields before a message's data.</summary>
/// <param name="ChannelId">The channel's number.</param>
/// <param name="Sequence">A sequence number in the channel.</param>
/// <param name="LogTime">Nanoseconds of Unix time, like all times.</param>
/// <param name="PublishTime">Nanoseconds of Unix time.</param>
public readonly record struct MessageHead(ushort ChannelId, uint Sequence, ulong LogTime, ulong PublishTime);

/// <summary>The fields before a chunk's records.</summary>
/// <param name="StartTime">The earliest log time of its messages; 0 without messages.</param>
/// <param name="EndTime">The latest log time of its messages; 0 without messages.</param>
/// <param name="UncompressedSize">The size of its records.</param>
/// <param name="UncompressedCrc">CRC-32 of its uncompressed records; 0 if unknown.</param>
/// <param name="Compression"><see cref="McapFormat.Zstd"/>, or empty for no compression.</param>
/// <param name="CompressedSize">The size of the compressed records, which follow.</param>
internal readonly record struct ChunkHead(
    ulong StartTime, ulong EndTime, ulong UncompressedSize, uint UncompressedCrc, string Compression,
    ulong CompressedSize);

/// <summary>The position of a message in its chunk.</summary>
/// <param name="LogTime">The message's log time.</param>
/// <param name="Offset">The offset of the message's record in the chunk's uncompressed records.</param>
internal readonly record struct MessageIndexEntry(ulong LogTime, ulong Offset);

/// <summary>The position of a chunk in the file.</summary>
/// <param name="StartTime">See <see cref="ChunkHead"/>.</param>
/// <param name="EndTime">See <see cref="ChunkHead"/>.</param>
/// <param name="ChunkOffset">The offset of the chunk's record.</param>
/// <param name="ChunkLength">The size of the whole record.</param>
/// <param name="MessageIndexOffsets">The offsets of the message indexes, by channel.</param>
/// <param name="MessageIndexLength">The size of all message indexes.</param>
/// <param name="Compression">See <see cref="ChunkHead"/>.</param>
/// <param name="CompressedSize">See <see cref="ChunkHead"/>.</param>
/// <param name="UncompressedSize">See <see cref="ChunkHead"/>.</param>
internal sealed record ChunkIndex(
    ulong StartTime, ulong EndTime, ulong ChunkOffset, ulong ChunkLength,
    IReadOnlyDictionary<ushort, ulong> MessageIndexOffsets, ulong MessageIndexLength, string Compression,
    ulong CompressedSize, ulong UncompressedSize);

/// <summary>A named file inside the file.</summary>
/// <param name="LogTime">When the attachment was recorded.</param>
/// <param name="CreateTime">When the attachment was created; 0 if unknown.</param>
/// <param name="Name">The attachment's name.</param>
/// <param name="MediaType">The media type of the data.</param>
/// <param name="Data">The content.</param>
internal sealed record Attachment(
    ulong LogTime, ulong CreateTime, string Name, string MediaType, ReadOnlyMemory<byte> Data);

/// <summary>The position of an attachment in the file.</summary>
/// <param name="Offset">The offset of the attachment's record.</param>
/// <param name="Length">The size of the whole record.</param>
/// <param name="LogTime">See <see cref="Attachment"/>.</param>
/// <param name="CreateTime">See <see cref="Attachment"/>.</param>
/// <param name="DataSize">The size of the attachment's data.</param>
/// <param name="Name">See <see cref="Attachment"/>.</param>
/// <param name="MediaType">See <see cref="Attachment"/>.</param>
internal sealed record AttachmentIndex(
    ulong Offset, ulong Length, ulong LogTime, ulong CreateTime, ulong DataSize, string Name, string MediaType);

/// <summary>Names and values.</summary>
/// <param name="Name">The name of the record.</param>
/// <param name="Texts">The values by their names.</param>
internal sealed record Metadata(string Name, IReadOnlyDictionary<string, string> Texts);

/// <summary>The position of a metadata record in the file.</summary>
/// <param name="Offset">The offset of the record.</param>
/// <param name="Length">The size of the whole record.</param>
/// <param name="Name">The name of the record.</param>
internal sealed record MetadataIndex(ulong Offset, ulong Length, string Name);

/// <summary>The number of records of each kind in the file.</summary>
/// <param name="MessageCount">The number of messages.</param>
/// <param name="SchemaCount">The number of schemas.</param>
/// <param name="ChannelCount">The number of channels.</param>
/// <param name="AttachmentCount">The number of attachments.</param>
/// <param name="MetadataCount">The number of metadata records.</param>
/// <param name="ChunkCount">The number of chunks.</param>
/// <param name="StartTime">The earliest log time of a message; 0 without messages.</param>
/// <param name="EndTime">The latest log time of a message; 0 without messages.</param>
/// <param name="ChannelMessageCounts">The number of messages by channel. Channels without messages may be missing.</param>
internal readonly record struct Statistics(
    ulong MessageCount, ushort SchemaCount, uint ChannelCount, uint AttachmentCount, uint MetadataCount,
    uint ChunkCount, ulong StartTime, ulong EndTime, IReadOnlyDictionary<ushort, ulong> ChannelMessageCounts);

/// <summary>The position of the summary's records of one kind.</summary>
/// <param name="Group">The kind.</param>
/// <param name="Start">The offset of the first record.</param>
/// <param name="Length">The size of all records.</param>
internal readonly record struct SummaryOffset(Opcode Group, ulong Start, ulong Length);

/// <summary>The last record before the summary.</summary>
/// <param name="DataSectionCrc">CRC-32 of the file's bytes up to this record; 0 if unknown.</param>
internal readonly record struct DataEnd(uint DataSectionCrc);
