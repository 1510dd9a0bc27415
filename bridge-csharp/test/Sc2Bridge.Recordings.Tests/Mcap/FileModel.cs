using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Recordings.Tests.Mcap;

/// <summary>One operation on a writer.</summary>
/// <param name="What">Its kind.</param>
/// <param name="Channel">The index of its channel.</param>
/// <param name="Size">Its size in bytes.</param>
/// <param name="Time">Its log time.</param>
internal readonly record struct Deed(Deed.Kind What, int Channel, int Size, ulong Time)
{
    internal enum Kind
    {
        Message,
        Schema,
        Channel,
        Attachment,
        Metadata,
        CloseChunk,
    }

    public static Gen<Deed[]> Some() =>
        (from what in Gen.Frequency(
            (12, Gen.Constant(Kind.Message)),
            (1, Gen.Constant(Kind.Schema)),
            (2, Gen.Constant(Kind.Channel)),
            (1, Gen.Constant(Kind.Attachment)),
            (1, Gen.Constant(Kind.Metadata)),
            (1, Gen.Constant(Kind.CloseChunk)))
         from channel in Gen.Choose(0, 7)
         from size in Gen.Frequency((8, Gen.Choose(0, 200)), (1, Gen.Choose(0, 20_000)))
         from time in Gen.Choose(0, 1_000_000)
         select new Deed(what, channel, size, (ulong)time * 1_000_003)).ArrayOf();
}

/// <summary>A message with its fields, as written and as read.</summary>
internal sealed record Written(string Topic, uint Sequence, ulong LogTime, ulong PublishTime, int Length, uint Crc);

/// <summary>A written file, and its expected content.</summary>
internal sealed class FileModel
{
    /// <summary>The messages in written order.</summary>
    public List<Written> Messages { get; } = [];

    public List<Schema> Schemas { get; } = [];

    public List<Channel> Channels { get; } = [];

    public List<Attachment> Attachments { get; } = [];

    public List<Metadata> Metadata { get; } = [];

    public Header Header { get; } = new("the profile", "the library");

    /// <summary>The byte ranges that the sink got.</summary>
    public List<byte[]> Stretches { get; } = [];

    public byte[] File => [.. Stretches.SelectMany(stretch => stretch)];

    public static FileModel Write(IEnumerable<Deed> deeds, int chunkSize)
    {
        var model = new FileModel();
        var random = new Random(7);
        using var writer = new McapWriter(new Sink(model.Stretches), model.Header, chunkSize);
        foreach (var deed in deeds)
        {
            var bytes = new byte[deed.Size];

            // Half of the content repeats, so that it can be compressed.
            random.NextBytes(bytes.AsSpan(deed.Size / 2));
            model.Do(writer, deed, bytes);
        }

        writer.Finish();
        Assert.Equal(model.File.Length, writer.Length);
        return model;
    }

    private void Do(McapWriter writer, Deed deed, byte[] bytes)
    {
        var number = Schemas.Count + Channels.Count + Attachments.Count + Metadata.Count;
        switch (deed.What)
        {
            case Deed.Kind.Schema:
                var schema = new Schema((ushort)(Schemas.Count + 1), $"schema {number}", "raw", bytes);
                Schemas.Add(schema);
                Assert.Equal(schema.Id, writer.AddSchema(schema.Name, schema.Encoding, schema.Data));
                break;
            case Deed.Kind.Channel:
                Open(writer, Schemas.Count == 0 ? (ushort)0 : Schemas[deed.Channel % Schemas.Count].Id);
                break;
            case Deed.Kind.Attachment:
                Attachments.Add(new Attachment(deed.Time, (ulong)deed.Size, $"{number}", "text/plain", bytes));
                writer.Add(Attachments[^1]);
                break;
            case Deed.Kind.Metadata:
                var texts = new Dictionary<string, string> { ["größe"] = $"{deed.Size}" };
                Metadata.Add(new Metadata($"{number}", texts));
                writer.Add(Metadata[^1]);
                break;
            case Deed.Kind.CloseChunk:
                writer.CloseChunk();
                break;
            default:
                if (Channels.Count == 0)
                {
                    Open(writer, 0);
                }

                var channel = Channels[deed.Channel % Channels.Count];
                var head = new MessageHead(channel.Id, (uint)Messages.Count, deed.Time, deed.Time / 2);
                writer.Add(head, bytes);
                Messages.Add(new Written(
                    channel.Topic, head.Sequence, head.LogTime, head.PublishTime, bytes.Length, Spec.Crc(bytes)));
                break;
        }
    }

    private void Open(McapWriter writer, ushort schema)
    {
        var id = (ushort)(Channels.Count + 1);
        var texts = new Dictionary<string, string> { ["id"] = $"{id}" };
        var channel = new Channel(id, schema, $"/topic/{id}", "raw", texts);
        Channels.Add(channel);
        Assert.Equal(id, writer.AddChannel(schema, channel.Topic, channel.MessageEncoding, channel.Metadata));
    }

    private sealed class Sink(List<byte[]> stretches) : IByteSink
    {
        public void Append(ReadOnlySpan<byte> bytes) => stretches.Add(bytes.ToArray());
    }
}
