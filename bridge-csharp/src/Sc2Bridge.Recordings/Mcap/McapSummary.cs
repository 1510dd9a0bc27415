using System.IO.Hashing;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>The summary at the end of a file.</summary>
internal sealed class McapSummary(IndexMemory memory)
{
    private const int TailLength = McapFormat.RecordHeadLength + McapFormat.FooterLength + 8;

    /// <summary>The end of the data: the position of the summary, or of the footer if there is no summary.</summary>
    public required long DataLimit { get; init; }

    public ChannelTable Channels { get; } = new(memory);

    /// <summary>The chunks, in the order of the file.</summary>
    public List<ChunkIndex> Chunks { get; } = [];

    /// <summary>The attachments that the data must contain.</summary>
    public List<AttachmentIndex> Attachments { get; } = [];

    public Statistics? Statistics { get; private set; }

    /// <summary>Reads the summary.</summary>
    /// <param name="bytes">The file.</param>
    /// <param name="memory">Limits the memory of the index.</param>
    /// <returns>Null if the end of the file is missing; an empty summary if the file has none.</returns>
    /// <exception cref="McapException">The summary is damaged, or takes too much memory.</exception>
    public static McapSummary? Read(IRecordingBytes bytes, IndexMemory memory)
    {
        var tailStart = bytes.Length - TailLength;
        if (tailStart < McapFormat.Magic.Length)
        {
            return null;
        }

        Span<byte> tail = stackalloc byte[TailLength];
        bytes.Read(tailStart, tail);
        if (!tail.EndsWith(McapFormat.Magic))
        {
            return null;
        }

        if (RecordHead.Read(tail) != new RecordHead(Opcode.Footer, McapFormat.FooterLength))
        {
            throw new McapException("the last record is not a footer", tailStart);
        }

        var footer = RecordReader.Footer(new RecordFields(
            tail.Slice(McapFormat.RecordHeadLength, McapFormat.FooterLength), tailStart));
        return footer.SummaryStart == 0
            ? new McapSummary(memory) { DataLimit = tailStart }
            : Read(bytes, memory, footer, tailStart);
    }

    private static McapSummary Read(IRecordingBytes bytes, IndexMemory memory, Footer footer, long footerStart)
    {
        var start = footer.SummaryStart;
        if (start < (ulong)McapFormat.Magic.Length || start > (ulong)footerStart
            || (footer.SummaryOffsetStart != 0
                && (footer.SummaryOffsetStart < start || footer.SummaryOffsetStart > (ulong)footerStart)))
        {
            throw new McapException("the footer has an invalid position of the summary", footerStart);
        }

        if ((ulong)footerStart - start > McapLimits.Summary)
        {
            throw McapLimits.TooLong("a summary", (ulong)footerStart - start, McapLimits.Summary, (long)start);
        }

        // The CRC also covers the footer's fields before the CRC.
        var covered = new byte[footerStart - (long)start + McapFormat.RecordHeadLength + (2 * sizeof(ulong))];
        bytes.Read((long)start, covered);
        if (footer.SummaryCrc != 0 && Crc32.HashToUInt32(covered) != footer.SummaryCrc)
        {
            throw new McapException("the summary has the wrong CRC", (long)start);
        }

        var summary = new McapSummary(memory) { DataLimit = (long)start };
        var end = footer.SummaryOffsetStart == 0 ? (ulong)footerStart : footer.SummaryOffsetStart;
        summary.ReadRecords(covered.AsSpan(0, (int)(end - start)), (long)start);
        summary.CheckChunks();
        return summary;
    }

    private void ReadRecords(ReadOnlySpan<byte> records, long start)
    {
        for (var at = 0; at < records.Length;)
        {
            if (records.Length - at < McapFormat.RecordHeadLength)
            {
                throw new McapException("the summary ends within a record", start + at);
            }

            var head = RecordHead.Read(records[at..]);
            var content = at + McapFormat.RecordHeadLength;
            if (head.ContentLength > (ulong)(records.Length - content))
            {
                throw new McapException("a record of the summary is longer than the summary", start + at);
            }

            var length = (int)head.ContentLength;
            ReadRecord(head, new RecordFields(records.Slice(content, length), start + content), start + at);
            at = content + length;
        }
    }

    private void ReadRecord(RecordHead head, RecordFields fields, long at)
    {
        switch (head.Opcode)
        {
            case Opcode.Schema:
                Channels.Add(RecordReader.Schema(fields), at);
                break;
            case Opcode.Channel:
                Channels.Add(RecordReader.Channel(fields), at);
                break;
            case Opcode.ChunkIndex:
                var chunk = RecordReader.ChunkIndex(fields);
                memory.Add(at, chunk.Compression.Length, chunk.MessageIndexOffsets.Count);
                Chunks.Add(chunk);
                break;
            case Opcode.Statistics:
                Statistics = RecordReader.Statistics(fields);
                break;
            case Opcode.AttachmentIndex:
                var attachment = RecordReader.AttachmentIndex(fields);
                memory.Add(at, attachment.Name.Length + attachment.MediaType.Length);
                Attachments.Add(attachment);
                break;
            case Opcode.MetadataIndex or Opcode.SummaryOffset:
                // The scan finds metadata and groups of records without these index records.
                break;
            default:
                if (!head.IsUnknown)
                {
                    throw new McapException($"a record {head.Opcode} is not allowed in the summary", at);
                }

                break;
        }
    }

    private void CheckChunks()
    {
        Chunks.Sort((one, other) => one.ChunkOffset.CompareTo(other.ChunkOffset));
        var leastOffset = (ulong)McapFormat.Magic.Length;
        foreach (var chunk in Chunks)
        {
            var limit = (ulong)DataLimit;
            if (chunk.ChunkOffset < leastOffset || chunk.ChunkOffset > limit
                || chunk.ChunkLength < McapFormat.RecordHeadLength || chunk.ChunkLength > limit - chunk.ChunkOffset
                || chunk.MessageIndexLength > limit - chunk.ChunkOffset - chunk.ChunkLength)
            {
                throw new McapException("the summary lists a chunk at an impossible position", DataLimit);
            }

            leastOffset = chunk.ChunkOffset + chunk.ChunkLength + chunk.MessageIndexLength;
        }
    }
}
