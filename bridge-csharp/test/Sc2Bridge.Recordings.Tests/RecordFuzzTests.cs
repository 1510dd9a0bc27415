using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Tests;

/// <summary>The record parser on random bytes. It returns records as they were written, and refuses everything else.</summary>
[Trait("Suite", "Slow")]
public sealed class RecordFuzzTests
{
    private const long Offset = 1000;

    private delegate T Parser<out T>(RecordFields fields);

    private static readonly Parser<object>[] Parsers =
    [
        fields => RecordReader.Header(fields),
        fields => RecordReader.Footer(fields),
        fields => RecordReader.Schema(fields),
        fields => RecordReader.Channel(fields),
        fields => RecordReader.MessageHead(fields),
        fields => RecordReader.ChunkHead(ref fields),
        fields => RecordReader.ChunkIndex(fields),
        fields => RecordReader.AttachmentIndex(fields),
        fields => RecordReader.Metadata(fields),
        fields => RecordReader.Statistics(fields),
        fields => RecordReader.DataEnd(fields),
    ];

    [Fact]
    public void Any_bytes_are_a_record_or_refused_at_a_place_in_them() =>
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(3000)), Prop.ForAll<byte[]>(bytes =>
        {
            foreach (var parser in Parsers)
            {
                try
                {
                    parser(new RecordFields(bytes, Offset));
                }
                catch (McapException refused)
                {
                    Assert.InRange(refused.Offset, Offset, Offset + bytes.Length);
                }
            }
        }));

    [Fact]
    public void Records_come_back_as_they_were_written() =>
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(500)), Prop.ForAll((string text, byte[] bytes, ulong number) =>
        {
            // Half of a surrogate pair cannot be encoded in UTF-8.
            var name = string.Concat((text ?? "").EnumerateRunes());
            var small = (ushort)number;
            var texts = new Dictionary<string, string> { [name] = "", ["key"] = name };
            var numbers = bytes.Distinct().ToDictionary(one => (ushort)one, one => number + one);

            Same(new Header(name, "library"), (w, it) => w.Write(it), RecordReader.Header);
            Same(new Footer(number, 1, 2), (w, it) => w.Write(it), RecordReader.Footer);
            Same(new DataEnd((uint)number), (w, it) => w.Write(it), RecordReader.DataEnd);
            Same(new MetadataIndex(number, 3, name), (w, it) => w.Write(it), fields =>
                new MetadataIndex(fields.UInt64(), fields.UInt64(), fields.Text()));
            Same(
                new AttachmentIndex(number, 1, 2, 3, 4, name, "type"), (w, it) => w.Write(it),
                RecordReader.AttachmentIndex);

            var schema = Read(w => w.Write(new Schema(small, name, "e", bytes)), RecordReader.Schema);
            Assert.Equal((small, name, "e"), (schema.Id, schema.Name, schema.Encoding));
            Assert.Equal(bytes, schema.Data.ToArray());
            var channel = Read(w => w.Write(new Channel(small, 7, name, "e", texts)), RecordReader.Channel);
            Assert.Equal((small, (ushort)7, name), (channel.Id, channel.SchemaId, channel.Topic));
            Assert.Equal(texts, channel.Metadata);
            var metadata = Read(w => w.Write(new Metadata(name, texts)), RecordReader.Metadata);
            Assert.Equal(name, metadata.Name);
            Assert.Equal(texts, metadata.Texts);
            var index = new ChunkIndex(number, 1, 2, 3, numbers, 4, name, 5, 6);
            var chunk = Read(w => w.Write(index), RecordReader.ChunkIndex);
            Assert.Equal(numbers, chunk.MessageIndexOffsets);
            Assert.Equal(index with { MessageIndexOffsets = chunk.MessageIndexOffsets }, chunk);
            var statistics = new Statistics(number, 1, 2, 3, 4, 5, 6, 7, numbers);
            var counted = Read(w => w.Write(statistics), RecordReader.Statistics);
            Assert.Equal(numbers, counted.ChannelMessageCounts);
            Assert.Equal(statistics with { ChannelMessageCounts = counted.ChannelMessageCounts }, counted);
        }));

    [Fact]
    public void Any_records_one_behind_the_other_open_or_are_refused_in_one_line() =>
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(2000)), Prop.ForAll<byte[], int>((noise, seed) =>
        {
            var (given, error) = SampleRecording.ReadAll(Records(noise, new System.Random(seed)));
            Assert.Empty(given);
            Assert.True(error is null || !error.Contains('\n', StringComparison.Ordinal));
        }));

    private static void Same<T>(T record, Action<RecordWriter, T> write, Parser<T> parser) =>
        Assert.Equal(record, Read(writer => write(writer, record), parser));

    // Unknown fields of a later version are skipped.
    private static T Read<T>(Action<RecordWriter> write, Parser<T> parser)
    {
        var buffer = MessageBuffer.Rent();
        write(new RecordWriter(buffer));
        var record = buffer.Written.ToArray();
        buffer.Release();
        var head = RecordHead.Read(record);
        Assert.Equal((ulong)(record.Length - McapFormat.RecordHeadLength), head.ContentLength);
        byte[] content = [.. record[McapFormat.RecordHeadLength..], 1, 2, 3];
        var read = parser(new RecordFields(content, Offset));
        for (var length = 0; length < record.Length - McapFormat.RecordHeadLength; length++)
        {
            Assert.Throws<McapException>(() => parser(new RecordFields(content.AsSpan(0, length), Offset)));
        }

        return read;
    }

    // Correctly framed records of random kinds and contents, so that wrong lengths do not stop the parsers early.
    private static byte[] Records(byte[] noise, System.Random random)
    {
        var file = new List<byte>([.. McapFormat.Magic]);
        Add(Opcode.Header, new byte[8]);
        for (var count = random.Next(6); count > 0; count--)
        {
            var content = noise.ToArray();
            for (var at = 0; at < content.Length && random.Next(3) > 0; at += random.Next(1, 9))
            {
                content[at] = 0;
            }

            Add((Opcode)random.Next(0, 18), content);
        }

        if (random.Next(2) == 0)
        {
            Add(Opcode.DataEnd, new byte[4]);
        }

        if (random.Next(2) == 0)
        {
            Add(Opcode.Footer, new byte[20]);
            file.AddRange(McapFormat.Magic);
        }

        return [.. file];

        void Add(Opcode opcode, byte[] content)
        {
            file.Add((byte)opcode);
            file.AddRange(BitConverter.GetBytes((ulong)content.Length));
            file.AddRange(content);
        }
    }
}
