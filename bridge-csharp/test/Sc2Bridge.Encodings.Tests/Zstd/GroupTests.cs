using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Encodings.Zstd;

namespace Sc2Bridge.Encodings.Tests.Zstd;

public sealed class GroupTests
{
    [Fact]
    public void A_group_has_64_blocks_and_each_content_comes_back()
    {
        using var compressor = new GroupCompressor();
        using var decoder = new GroupDecoder();
        var numbers = new List<ulong>();
        for (var index = 0; index < 130; index++)
        {
            var content = Contents.Of(index, 5000);
            var block = compressor.Add(content);
            Assert.Equal(index % 64, block.Index);
            Assert.Equal(content.Length, block.Size);
            numbers.Add(block.Group.Number);
            Assert.Equal(content, decoder.Decode(Contents.Message(block, block.Index)).ToArray());
            block.Release();
        }

        Assert.Equal([.. numbers.Order()], numbers);
        Assert.Equal(3, numbers.Distinct().Count());
    }

    [Fact]
    public void Repeated_content_takes_almost_no_bytes()
    {
        using var compressor = new GroupCompressor();
        var random = new Random(1);
        var content = new byte[160 << 10];
        random.NextBytes(content);
        var first = compressor.Add(content);
        content[random.Next(content.Length)]++;
        var second = compressor.Add(content);
        Assert.InRange(first.Data.Length, 160 << 10, 161 << 10);
        Assert.InRange(second.Data.Length, 1, 200);
        first.Release();
        second.Release();
    }

    [Fact]
    public void A_content_that_is_too_long_for_the_window_begins_a_group()
    {
        using var compressor = new GroupCompressor();
        using var decoder = new GroupDecoder();
        var groups = new List<int>();
        foreach (var length in (int[])[10, 600_000, 600_000, 2_000_000, 10, 2_000_000])
        {
            var content = Contents.Of(groups.Count, length);
            var block = compressor.Add(content);
            groups.Add(block.Index);
            Assert.Equal(content, decoder.Decode(Contents.Message(block, block.Index)).ToArray());
            block.Release();
        }

        // A window of 1 MiB holds 600,000 bytes and 10 more, but not twice 600,000. The last 2,000,000 need 4 MiB.
        Assert.Equal([0, 1, 0, 0, 1, 2], groups);
    }

    [Fact]
    public void A_group_of_much_that_does_not_compress_ends_early()
    {
        using var compressor = new GroupCompressor();
        using var decoder = new GroupDecoder();
        var random = new Random(1);
        var kept = 0;
        var last = new byte[900_000];
        random.NextBytes(last);
        for (var index = 0; index < 64; index++)
        {
            var content = last.ToArray();
            last = content;
            random.NextBytes(content.AsSpan(index * 1000, 90_000));
            var block = compressor.Add(content);
            kept = Math.Max(kept, Enumerable.Range(0, block.Group.Count).Sum(i => block.Group[i].Data.Length));
            Assert.Equal(content, decoder.Decode(Contents.Message(block, block.Index)).ToArray());
            block.Release();
        }

        Assert.InRange(kept, GroupLimits.MostBytes, GroupLimits.MostBytes + 100_000);
    }

    [Theory]
    [InlineData(0, 20)]
    [InlineData(160 << 10, 20)]
    [InlineData(700_000, 21)]
    [InlineData(1_600_000, 22)]
    [InlineData(60 << 20, 23)]
    public void The_window_holds_two_contents_like_the_first(int length, int windowLog) =>
        Assert.Equal(windowLog, GroupLimits.WindowLogFor(length));

    [Fact]
    public void Contents_of_any_sizes_come_back_also_empty_ones() =>
        Prop.ForAll<byte[][]>(contents =>
        {
            using var compressor = new GroupCompressor();
            using var decoder = new GroupDecoder();
            foreach (var content in contents)
            {
                var block = compressor.Add(content);
                Assert.Equal(content, decoder.Decode(Contents.Message(block, block.Index)).ToArray());
                block.Release();
            }
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Who_skips_is_sent_what_it_lacks_whatever_it_skips() =>
        Prop.ForAll<bool[]>(taken =>
        {
            using var compressor = new GroupCompressor();
            using var decoder = new GroupDecoder();
            var position = new GroupPosition();
            for (var index = 0; index < taken.Length * 3; index++)
            {
                var content = Contents.Of(index, 300);
                var block = compressor.Add(content);
                if (taken[index % taken.Length])
                {
                    var message = Contents.Message(block, position.Advance(block));
                    Assert.Equal(content, decoder.Decode(message).ToArray());
                }

                block.Release();
            }
        }).Check(Config.QuickThrowOnFailure.WithEndSize(100));

    [Fact]
    public void A_block_is_not_sent_twice()
    {
        using var compressor = new GroupCompressor();
        var position = new GroupPosition();
        var first = compressor.Add(new byte[] { 1 });
        var second = compressor.Add(new byte[] { 2 });
        Assert.Equal(0, position.Advance(second));
        Assert.Throws<InvalidOperationException>(() => position.Advance(first));
        Assert.Throws<InvalidOperationException>(() => position.Advance(second));
        first.Release();
        second.Release();
    }

    [Fact]
    public void Blocks_live_on_after_their_compressor_while_they_are_held()
    {
        var compressor = new GroupCompressor();
        using var decoder = new GroupDecoder();
        var content = Contents.Of(1, 5000);
        var block = compressor.Add(content);
        compressor.Dispose();
        Assert.Equal(content, decoder.Decode(Contents.Message(block, 0)).ToArray());
        block.Release();
        Assert.Throws<ObjectDisposedException>(block.Release);
        Assert.Throws<ObjectDisposedException>(() => compressor.Add(content));
    }

    [Fact]
    public void Compressing_allocates_nothing()
    {
        using var compressor = new GroupCompressor();
        var contents = Enumerable.Range(0, 16).Select(index => Contents.Of(index, 160 << 10)).ToArray();
        for (var round = 0; round < 128; round++)
        {
            Add(round);
        }

        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var round = 0; round < 256; round++)
        {
            Add(round);
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);

        void Add(int round) => compressor.Add(contents[round % contents.Length]).Release();
    }
}

/// <summary>Similar contents, as successive frames have, and their blocks as messages.</summary>
internal static class Contents
{
    public static byte[] Of(int number, int length)
    {
        var content = new byte[length];
        new Random(7).NextBytes(content);
        for (var index = 0; index < length / 50; index++)
        {
            content[(index * 31 + number * 7) % length] = (byte)number;
        }

        return content;
    }

    public static Block Message(GroupBlock block, int first)
    {
        var message = new Block
        {
            Group = block.Group.Number,
            Index = (uint)block.Index,
            WindowLog = (uint)block.Group.WindowLog,
            Size = (uint)block.Size,
            Data = ByteString.CopyFrom(block.Data.Span),
        };
        for (var index = first; index < block.Index; index++)
        {
            message.Earlier.Add(ByteString.CopyFrom(block.Group[index].Data.Span));
            message.EarlierSizes.Add((uint)block.Group[index].Size);
        }

        return message;
    }
}
