using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Tests.Mcap;

/// <summary>The data section of a file. A contradiction in it fails the test.</summary>
internal sealed class SpecData
{
    private readonly Dictionary<ushort, string> _topics = [];

    public SpecData(IReadOnlyList<SpecRecord> records)
    {
        for (var at = 0; at < records.Count; at++)
        {
            var record = records[at];
            switch ((Opcode)record.Opcode)
            {
                case Opcode.Attachment:
                    var crc = Spec.Crc(record.Content.AsSpan(0, record.Content.Length - 4));
                    Assert.Equal(crc, BitConverter.ToUInt32(record.Content, record.Content.Length - 4));
                    Attachments.Add(record);
                    break;
                case Opcode.Metadata:
                    Metadata.Add(record);
                    break;
                case Opcode.Chunk:
                    var indexes = records.Skip(at + 1)
                        .TakeWhile(next => next.Opcode == (byte)Opcode.MessageIndex).ToList();
                    Take(record, indexes);
                    at += indexes.Count;
                    break;
                default:
                    Assert.Fail($"A record {(Opcode)record.Opcode} stands outside a chunk.");
                    break;
            }
        }
    }

    public List<Written> Messages { get; } = [];

    public List<SpecRecord> Schemas { get; } = [];

    public List<SpecRecord> Channels { get; } = [];

    public List<SpecRecord> Attachments { get; } = [];

    public List<SpecRecord> Metadata { get; } = [];

    /// <summary>The expected chunk indexes of the summary.</summary>
    public List<ChunkIndex> Chunks { get; } = [];

    /// <summary>The content of a chunk's single zstd frame. Checks the chunk's size and CRC.</summary>
    public static (byte[] Frame, byte[] Content) Open(SpecRecord chunk)
    {
        var fields = chunk.Read();
        _ = (fields.U64(), fields.U64());
        var (size, crc, compression, length) = (fields.U64(), fields.U32(), fields.Text(), fields.U64());
        Assert.Equal("zstd", compression);
        var frame = fields.Bytes(length);
        Assert.True(fields.AtEnd);
        using var zstd = new ZstdDecompressor();
        var content = MessageBuffer.Rent();
        zstd.Begin(windowLog: 20);
        zstd.Next(frame, (int)size, content);
        var bytes = content.Written.ToArray();
        content.Release();
        Assert.Equal(crc, Spec.Crc(bytes));
        return (frame, bytes);
    }

    private void Take(SpecRecord chunk, List<SpecRecord> indexes)
    {
        var (frame, content) = Open(chunk);
        var places = new SortedDictionary<ushort, List<(ulong, ulong)>>();
        var times = new List<ulong>();
        foreach (var record in Spec.Split(content, 0))
        {
            switch ((Opcode)record.Opcode)
            {
                case Opcode.Schema:
                    Schemas.Add(record);
                    break;
                case Opcode.Channel:
                    Channels.Add(record);
                    var channel = record.Read();
                    var id = channel.U16();
                    _ = channel.U16();
                    _topics.Add(id, channel.Text());
                    break;
                default:
                    Assert.Equal((byte)Opcode.Message, record.Opcode);
                    var message = record.Read();
                    var key = message.U16();
                    var (sequence, logTime, publishTime) = (message.U32(), message.U64(), message.U64());
                    var data = message.Rest();
                    Messages.Add(new Written(
                        _topics[key], sequence, logTime, publishTime, data.Length, Spec.Crc(data)));
                    places.TryAdd(key, []);
                    places[key].Add((logTime, (ulong)record.Offset));
                    times.Add(logTime);
                    break;
            }
        }

        var start = times.Count == 0 ? 0 : times.Min();
        var end = times.Count == 0 ? 0 : times.Max();
        var head = chunk.Read();
        Assert.Equal((start, end, (ulong)content.Length), (head.U64(), head.U64(), head.U64()));

        // Each channel with messages has one index, with all of them.
        Assert.Equal(places.Select(place => (place.Key, string.Join(' ', place.Value))), indexes.Select(Index));
        Chunks.Add(new ChunkIndex(
            start, end, (ulong)chunk.Offset, (ulong)chunk.Length,
            indexes.ToDictionary(index => Index(index).Channel, index => (ulong)index.Offset),
            (ulong)indexes.Sum(index => index.Length), "zstd", (ulong)frame.Length, (ulong)content.Length));
    }

    private static (ushort Channel, string Places) Index(SpecRecord index)
    {
        var fields = index.Read();
        return (fields.U16(), string.Join(' ', fields.Array(entry => (entry.U64(), entry.U64()))));
    }
}
