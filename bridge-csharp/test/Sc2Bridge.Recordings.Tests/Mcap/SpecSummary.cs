namespace Sc2Bridge.Recordings.Tests.Mcap;

/// <summary>The summary of a file, compared with its data.</summary>
internal static class SpecSummary
{
    public static void Check(byte[] file, IReadOnlyList<SpecRecord> records, SpecData data)
    {
        var footer = records[^1];
        Assert.Equal(((byte)Opcode.Footer, 20), (footer.Opcode, footer.Content.Length));
        var fields = footer.Read();
        var (start, offsetStart, crc) = (fields.U64(), fields.U64(), fields.U32());
        Assert.Equal((ulong)records[0].Offset, start);
        Assert.Equal(Spec.Crc(file.AsSpan((int)start..(int)(footer.Offset + 9 + 16))), crc);

        // Records of one kind are in one block, with an offset record.
        var groups = new List<(byte Opcode, ulong Start, ulong Length)>();
        foreach (var record in records.Take(records.Count - 1).Where(record => (ulong)record.Offset < offsetStart))
        {
            if (groups.Count > 0 && groups[^1].Opcode == record.Opcode)
            {
                groups[^1] = groups[^1] with { Length = groups[^1].Length + (ulong)record.Length };
            }
            else
            {
                groups.Add((record.Opcode, (ulong)record.Offset, (ulong)record.Length));
            }
        }

        Assert.Equal(groups.Count, groups.Select(group => group.Opcode).Distinct().Count());
        Assert.Equal(groups, Of(Opcode.SummaryOffset).Select(record => record.Read())
            .Select(offset => (offset.U8(), offset.U64(), offset.U64())));

        Same(data.Schemas, Of(Opcode.Schema));
        Same(data.Channels, Of(Opcode.Channel));
        Assert.Equal(data.Chunks.Select(Text), Of(Opcode.ChunkIndex).Select(Chunk).Select(Text));
        Assert.Equal(data.Attachments.Select(AttachmentIndex), Of(Opcode.AttachmentIndex).Select(AsIndex));
        Assert.Equal(
            data.Metadata.Select(record => (record.Offset, record.Length, record.Read().Text())),
            Of(Opcode.MetadataIndex).Select(record => record.Read())
                .Select(index => ((long)index.U64(), (long)index.U64(), index.Text())));
        Check(data, Assert.Single(Of(Opcode.Statistics)).Read());

        IEnumerable<SpecRecord> Of(Opcode opcode) => records.Where(record => record.Opcode == (byte)opcode);
    }

    private static void Check(SpecData data, Fields statistics)
    {
        Assert.Equal((ulong)data.Messages.Count, statistics.U64());
        Assert.Equal(data.Schemas.Count, statistics.U16());
        Assert.Equal(
            (data.Channels.Count, data.Attachments.Count, data.Metadata.Count, data.Chunks.Count),
            ((int)statistics.U32(), (int)statistics.U32(), (int)statistics.U32(), (int)statistics.U32()));
        var times = data.Messages.Select(message => message.LogTime).DefaultIfEmpty().ToList();
        Assert.Equal((times.Min(), times.Max()), (statistics.U64(), statistics.U64()));
        Assert.Equal(
            data.Channels.ToDictionary(
                channel => channel.Read().U16(),
                channel => (ulong)data.Messages.Count(message => message.Topic == Topic(channel))),
            statistics.Numbers());
    }

    private static string Topic(SpecRecord channel)
    {
        var fields = channel.Read();
        _ = (fields.U16(), fields.U16());
        return fields.Text();
    }

    private static void Same(IEnumerable<SpecRecord> inData, IEnumerable<SpecRecord> inSummary) => Assert.Equal(
        inData.Select(record => Convert.ToHexString(record.Content)),
        inSummary.Select(record => Convert.ToHexString(record.Content)));

    private static ChunkIndex Chunk(SpecRecord record)
    {
        var fields = record.Read();
        return new ChunkIndex(
            fields.U64(), fields.U64(), fields.U64(), fields.U64(), fields.Numbers(), fields.U64(), fields.Text(),
            fields.U64(), fields.U64());
    }

    private static string Text(ChunkIndex chunk) =>
        $"{chunk with { MessageIndexOffsets = new Dictionary<ushort, ulong>() }} "
        + string.Join(' ', chunk.MessageIndexOffsets.OrderBy(offset => offset.Key));

    private static (long, long, ulong, ulong, ulong, string, string) AttachmentIndex(SpecRecord attachment)
    {
        var fields = attachment.Read();
        var (logTime, createTime, name, media) = (fields.U64(), fields.U64(), fields.Text(), fields.Text());
        return (attachment.Offset, attachment.Length, logTime, createTime, fields.U64(), name, media);
    }

    private static (long, long, ulong, ulong, ulong, string, string) AsIndex(SpecRecord index)
    {
        var fields = index.Read();
        return (
            (long)fields.U64(), (long)fields.U64(), fields.U64(), fields.U64(), fields.U64(), fields.Text(),
            fields.Text());
    }
}
