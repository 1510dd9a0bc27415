using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Tests.Mcap;

/// <summary>Each record byte by byte, as https://mcap.dev/spec defines it.</summary>
public sealed class RecordWriterTests
{
    private static readonly Dictionary<string, string> Texts = new() { ["k"] = "v" };

    private static readonly Dictionary<ushort, ulong> Numbers = new() { [1] = 2, [0x0304] = 0x05 };

    [Fact]
    public void Header() => Is("01 0B00000000000000 01000000 70 02000000 6C69", to => to.Write(new Header("p", "li")));

    [Fact]
    public void Footer() => Is(
        "02 1400000000000000 0100000000000000 0200000000000000 03000000", to => to.Write(new Footer(1, 2, 3)));

    [Fact]
    public void Schema() => Is(
        "03 1300000000000000 0201 01000000 6E 01000000 65 03000000 0A0B0C",
        to => to.Write(new Schema(0x0102, "n", "e", new byte[] { 10, 11, 12 })));

    [Fact]
    public void Channel() => Is(
        "04 1F00000000000000 0100 0200 03000000 2FC3A4 02000000 656E 0A000000 01000000 6B 01000000 76",
        to => to.Write(new Channel(1, 2, "/ä", "en", Texts)));

    [Fact]
    public void Message() => Is(
        "05 1900000000000000 0100 02000000 0300000000000000 0400000000000000",
        to => to.Write(new MessageHead(1, 2, 3, 4), dataLength: 3));

    [Fact]
    public void Chunk() => Is(
        "06 3300000000000000 0100000000000000 0200000000000000 0300000000000000 04000000 04000000 7A737464 "
        + "0700000000000000",
        to => to.Write(new ChunkHead(1, 2, 3, 4, "zstd", 7)));

    [Fact]
    public void MessageIndex() => Is(
        "07 2600000000000000 0100 20000000 0200000000000000 0300000000000000 0400000000000000 0500000000000000",
        to => to.Write(1, [new MessageIndexEntry(2, 3), new MessageIndexEntry(4, 5)]));

    [Fact]
    public void ChunkIndex() => Is(
        "08 5800000000000000 0100000000000000 0200000000000000 0300000000000000 0400000000000000 "
        + "14000000 0100 0200000000000000 0403 0500000000000000 0600000000000000 04000000 7A737464 "
        + "0700000000000000 0800000000000000",
        to => to.Write(new ChunkIndex(1, 2, 3, 4, Numbers, 6, "zstd", 7, 8)));

    [Fact]
    public void Attachment()
    {
        const string Fields = "0100000000000000 0200000000000000 01000000 6E 01000000 6D 0200000000000000 0D0E";
        var crc = Convert.ToHexString(BitConverter.GetBytes(Spec.Crc(FromHex(Fields))));
        Is($"09 2800000000000000 {Fields} {crc}",
            to => to.Write(new Attachment(1, 2, "n", "m", new byte[] { 13, 14 })));
    }

    [Fact]
    public void AttachmentIndex() => Is(
        "0A 3200000000000000 0100000000000000 0200000000000000 0300000000000000 0400000000000000 0500000000000000 "
        + "01000000 6E 01000000 6D",
        to => to.Write(new AttachmentIndex(1, 2, 3, 4, 5, "n", "m")));

    [Fact]
    public void Statistics() => Is(
        "0B 4200000000000000 0100000000000000 0200 03000000 04000000 05000000 06000000 0700000000000000 "
        + "0800000000000000 14000000 0100 0200000000000000 0403 0500000000000000",
        to => to.Write(new Statistics(1, 2, 3, 4, 5, 6, 7, 8, Numbers)));

    [Fact]
    public void Metadata() => Is(
        "0C 1300000000000000 01000000 6E 0A000000 01000000 6B 01000000 76", to => to.Write(new Metadata("n", Texts)));

    [Fact]
    public void MetadataIndex() => Is(
        "0D 1500000000000000 0100000000000000 0200000000000000 01000000 6E",
        to => to.Write(new MetadataIndex(1, 2, "n")));

    [Fact]
    public void SummaryOffset() => Is(
        "0E 1100000000000000 03 0100000000000000 0200000000000000",
        to => to.Write(new SummaryOffset(Opcode.Schema, 1, 2)));

    [Fact]
    public void DataEnd() => Is("0F 0400000000000000 01000000", to => to.Write(new DataEnd(1)));

    private static void Is(string expected, Action<RecordWriter> write)
    {
        // Far from the buffer's start, and with too little room, to test that lengths are written at the right place.
        var buffer = MessageBuffer.Rent();
        var before = buffer.GetSpan().Length - 3;
        buffer.Advance(before);
        write(new RecordWriter(buffer));
        Assert.Equal(expected.Replace(" ", ""), Convert.ToHexString(buffer.Written.Span[before..]));
        buffer.Release();
    }

    private static byte[] FromHex(string text) => Convert.FromHexString(text.Replace(" ", ""));
}
