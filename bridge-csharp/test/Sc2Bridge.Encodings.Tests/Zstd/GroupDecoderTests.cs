using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Encodings.Zstd;

namespace Sc2Bridge.Encodings.Tests.Zstd;

public sealed class GroupDecoderTests
{
    private readonly List<Block> _blocks = [];
    private readonly List<byte[]> _contents = [];

    public GroupDecoderTests()
    {
        using var compressor = new GroupCompressor();
        for (var index = 0; index < 8; index++)
        {
            _contents.Add(Contents.Of(index, 2000));
            var block = compressor.Add(_contents[^1]);
            _blocks.Add(Contents.Message(block, block.Index));
            block.Release();
        }
    }

    public static TheoryData<string, Action<Block>> Faults => new()
    {
        { "block 3 was expected", block => block.Index = 4 },
        { "block 3 was expected", block => block.Index = 2 },
        { "block 0 was expected", block => block.Group++ },
        { "sizes for them", block => block.EarlierSizes.Add(1) },
        { "sizes for them", block => block.Earlier.Add(ByteString.Empty) },
        { "The window", block => block.WindowLog = 24 },
        { "The window", block => block.WindowLog = 9 },
        { "is longer than", block => block.Size = uint.MaxValue },
        { "is longer than", block => block.Size = GroupLimits.LongestContent + 1 },
        { "A block decompresses", block => block.Size++ },
        { "A block decompresses", block => block.Size-- },
        { "A block decompresses", block => block.Size = 0 },
        { "A block decompresses", block => block.Data = ByteString.Empty },
        { "not zstd", block => block.Data = ByteString.CopyFrom([.. Enumerable.Repeat((byte)0xFF, 40)]) },
    };

    [Theory]
    [MemberData(nameof(Faults))]
    public void Faults_are_reported_and_a_new_group_is_read_all_the_same(string says, Action<Block> fault)
    {
        using var decoder = new GroupDecoder();
        for (var index = 0; index < 3; index++)
        {
            decoder.Decode(_blocks[index]);
        }

        var block = _blocks[3].Clone();
        fault(block);
        var thrown = Assert.Throws<EncodingException>(() => decoder.Decode(block));
        Assert.Contains(says, thrown.Message, StringComparison.Ordinal);
        Assert.Throws<EncodingException>(() => decoder.Decode(_blocks[3]));

        // A new decoder, without history.
        Assert.Equal(_contents[0], decoder.Decode(_blocks[0]).ToArray());
    }

    [Fact]
    public void Mutated_blocks_give_only_the_documented_error() =>
        Prop.ForAll<byte[]>(moves =>
        {
            using var decoder = new GroupDecoder(longest: 1 << 20);
            for (var index = 0; index < _blocks.Count; index++)
            {
                var bytes = _blocks[index].ToByteArray();
                for (var at = index; at + 1 < moves.Length; at += _blocks.Count)
                {
                    bytes[(moves[at] * 257 + moves[at + 1]) % bytes.Length] ^= (byte)(1 << (moves[at] % 8));
                }

                try
                {
                    var content = decoder.Decode(Block.Parser.ParseFrom(bytes));
                    Assert.InRange(content.Length, 0, 1 << 20);
                }
                catch (Exception documented) when (documented is EncodingException or InvalidProtocolBufferException)
                {
                }
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(3000)).WithEndSize(60));

    [Fact]
    public void A_bomb_is_cut_off_at_the_size_that_it_speaks_of()
    {
        // Blocks of one repeated byte (RFC 8878, 3.1.1.2.2): four bytes each make 128 KiB.
        byte[] head = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58];
        byte[] piece = [0x02, 0x00, 0x10, 0x41];
        byte[] bomb = [.. head, .. Enumerable.Repeat(piece, 1000).SelectMany(repeated => repeated)];
        using var decoder = new GroupDecoder();
        var block = new Block { Group = 1, WindowLog = 21, Size = 1000, Data = ByteString.CopyFrom(bomb) };
        var thrown = Assert.Throws<EncodingException>(() => decoder.Decode(block));
        Assert.Contains("more than its declared size of 1000", thrown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_first_group_of_the_number_0_has_its_window_and_no_larger_one()
    {
        using var decoder = new GroupDecoder();
        var block = _blocks[0].Clone();
        (block.Group, block.WindowLog) = (0, 10);
        Assert.Contains(
            "not zstd", Assert.Throws<EncodingException>(() => decoder.Decode(block)).Message, StringComparison.Ordinal);
        block.WindowLog = 20;
        Assert.Equal(_contents[0], decoder.Decode(block).ToArray());
    }

    [Fact]
    public void A_frame_alone_is_read_whole_or_not_at_all()
    {
        using var compressor = new ZstdCompressor();
        using var decompressor = new ZstdDecompressor();
        var compressed = MessageBuffer.Rent();
        var output = MessageBuffer.Rent();
        compressor.Compress(_contents[0], compressed);
        decompressor.Decompress(compressed.Written.Span, 2000, output);
        Assert.Equal(_contents[0], output.Written.ToArray());
        for (var length = 0; length < compressed.Length; length++)
        {
            output.Clear();
            Assert.Throws<EncodingException>(
                () => decompressor.Decompress(compressed.Written.Span[..length], 2000, output));
        }

        Assert.Contains(
            "longer than the limit of 1999",
            Assert.Throws<EncodingException>(
                () => decompressor.Decompress(compressed.Written.Span, 1999, output)).Message,
            StringComparison.Ordinal);
        compressed.Release();
        output.Release();
    }
}
