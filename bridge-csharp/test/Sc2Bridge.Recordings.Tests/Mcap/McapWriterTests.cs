using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Recordings.Tests.Mcap;

/// <summary>The writer's output for random operations, parsed strictly after the specification.</summary>
public sealed class McapWriterTests
{
    private const int ChunkSize = 2000;

    [Fact]
    [Trait("Suite", "Slow")]
    public void Every_file_holds_what_was_written_and_every_index_and_crc_is_right() =>
        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(300)),
            Prop.ForAll(Deed.Some().ToArbitrary(), (Deed[] deeds) => Take(FileModel.Write(deeds, ChunkSize))));

    [Fact]
    public void A_file_of_nothing_is_a_file() => Take(FileModel.Write([], ChunkSize));

    [Fact]
    public void A_message_larger_than_a_chunk_is_one() => Take(FileModel.Write(
        [new Deed(Deed.Kind.Message, 0, 3 << 20, 5), new Deed(Deed.Kind.Message, 0, 0, 6)], ChunkSize));

    [Fact]
    public void Each_chunk_goes_to_the_sink_in_one_piece_with_its_message_indexes()
    {
        var model = FileModel.Write(
            Enumerable.Range(0, 200).Select(time => new Deed(Deed.Kind.Message, time, 100, (ulong)time)), ChunkSize);
        var chunks = model.Stretches.Where(stretch => stretch[0] == (byte)Opcode.Chunk).ToList();
        Assert.Equal(13, chunks.Count);
        Assert.All(chunks, chunk => Assert.Equal(
            [Opcode.Chunk, Opcode.MessageIndex], Spec.Split(chunk, 0).Select(record => (Opcode)record.Opcode)));

        // The beginning, the chunks and the summary.
        Assert.Equal(model.Stretches.Count, chunks.Count + 2);
    }

    [Fact]
    public void A_chunk_is_one_zstd_frame_with_a_checksum_whose_window_reaches_over_several_observations()
    {
        var model = FileModel.Write(
            Enumerable.Range(0, 40).Select(time => new Deed(Deed.Kind.Message, 0, 150_000, (ulong)time)), 8 << 20);
        var chunk = Spec.Records(model.File).First(record => record.Opcode == (byte)Opcode.Chunk);
        var (frame, _) = SpecData.Open(chunk);

        // RFC 8878, 3.1.1.1: no content size, no single segment, a checksum, no dictionary; then the window's exponent.
        Assert.Equal([0x28, 0xB5, 0x2F, 0xFD, 0b0000_0100, (20 - 10) << 3], frame[..6]);
    }

    [Fact]
    public void Faults_are_reported()
    {
        using var writer = new McapWriter(new MemorySink(), new Header("", ""));
        Assert.Throws<ArgumentException>(() => writer.Add(new MessageHead(1, 0, 0, 0), []));
        writer.Finish();
        Assert.Throws<InvalidOperationException>(writer.CloseChunk);
        Assert.Throws<InvalidOperationException>(() => writer.AddSchema("", "", default));
    }

    // Returns true, or throws.
    private static bool Take(FileModel model)
    {
        var file = model.File;
        var records = Spec.Records(file);
        Assert.Equal((byte)Opcode.Header, records[0].Opcode);
        var header = records[0].Read();
        Assert.Equal((model.Header.Profile, model.Header.Library), (header.Text(), header.Text()));

        var end = records.FindIndex(record => record.Opcode == (byte)Opcode.DataEnd);
        Assert.Equal(Spec.Crc(file.AsSpan(0, (int)records[end].Offset)), records[end].Read().U32());
        var data = new SpecData(records[1..end]);
        Assert.Equal(model.Messages, data.Messages);
        Assert.Equal(model.Schemas.Select(Text), data.Schemas.Select(record => Schema(record.Read())).Select(Text));
        Assert.Equal(model.Channels.Select(Text), data.Channels.Select(record => Channel(record.Read())).Select(Text));
        Assert.Equal(
            model.Attachments.Select(Text), data.Attachments.Select(record => Attachment(record.Read())).Select(Text));
        Assert.Equal(
            model.Metadata.Select(texts => (texts.Name, Text(texts.Texts))),
            data.Metadata.Select(record => record.Read()).Select(texts => (texts.Text(), Text(texts.Texts()))));
        SpecSummary.Check(file, records[(end + 1)..], data);
        return true;
    }

    private static Schema Schema(Fields fields) =>
        new(fields.U16(), fields.Text(), fields.Text(), fields.Bytes(fields.U32()));

    private static Channel Channel(Fields fields) =>
        new(fields.U16(), fields.U16(), fields.Text(), fields.Text(), fields.Texts());

    private static Attachment Attachment(Fields fields) =>
        new(fields.U64(), fields.U64(), fields.Text(), fields.Text(), fields.Bytes(fields.U64()));

    private static string Text(Schema schema) =>
        $"{schema.Id} {schema.Name} {schema.Encoding} {Spec.Crc(schema.Data.Span)}";

    private static string Text(Channel channel) =>
        $"{channel.Id} {channel.SchemaId} {channel.Topic} {channel.MessageEncoding} {Text(channel.Metadata)}";

    private static string Text(Attachment attachment) =>
        $"{attachment.LogTime} {attachment.CreateTime} {attachment.Name} {attachment.MediaType} "
        + $"{Spec.Crc(attachment.Data.Span)}";

    private static string Text(IReadOnlyDictionary<string, string> texts) => string.Join(' ', texts);
}
