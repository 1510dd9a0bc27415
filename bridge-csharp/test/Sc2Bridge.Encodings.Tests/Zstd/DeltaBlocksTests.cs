using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Encodings.Zstd.Blocks;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Tests.Zstd;

/// <summary>What is written here, libzstd reads: contents that come of each other by edits, as frames do, and wilder.</summary>
public sealed class DeltaBlocksTests
{
    private const int Window = 23;

    [Fact]
    public void Whatever_is_edited_comes_back() =>
        Prop.ForAll(Edits().ToArbitrary(), edits => HeldPublications(edits.Start, edits.Contents))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(300));

    [Fact]
    public void Contents_of_two_and_three_blocks_come_back_wherever_these_are_cut()
    {
        const int block = 128 << 10;
        var random = new Random(3);
        var last = Text(random, (2 * block) + 100);
        var contents = new List<byte[]>();
        for (var move = -20; move <= 20; move++)
        {
            // What is new comes right before, on and behind the cut; all behind it moves.
            var at = block + move;
            contents.Add([.. last[..(at - 3)], 1, 2, 3, 4, .. last[(at + 1)..]]);
            contents.Add([.. last[1..at], .. last[(at + 1)..]]);
        }

        HeldPublications(last, contents);
    }

    [Fact]
    public void Literals_of_every_number_around_the_limits_of_their_headers_come_back()
    {
        var random = new Random(4);
        foreach (var skewed in (bool[])[false, true])
        {
            foreach (var limit in (int[])[0, 32, 64, 1 << 10, 1 << 12, 1 << 14, 128 << 10])
            {
                for (var literals = Math.Max(limit - 5, 0); literals < limit + 6; literals++)
                {
                    var last = Text(random, 2000);
                    var fresh = skewed ? Skewed(random, literals) : Text(random, literals);
                    HeldPublications(last, [[.. last[..1000], .. fresh, .. last[1000..]], last]);
                }
            }
        }
    }

    [Fact]
    public void A_code_that_would_be_too_deep_is_made_flatter()
    {
        // Each half as often as the one before: without a limit the rarest would take more than 20 bits.
        var literals = Enumerable.Range(0, 17)
            .SelectMany(symbol => Enumerable.Repeat((byte)(symbol * 3), (1 << 16) >> symbol))
            .ToArray();
        new Random(5).Shuffle(literals);
        HeldPublications([], [literals, [.. literals.Reverse()]]);
    }

    [Fact]
    public void Bytes_of_one_kind_and_of_all_kinds_come_back()
    {
        var random = new Random(6);
        HeldPublications([], [new byte[5000], [.. Enumerable.Repeat((byte)9, 70)], Text(random, 70), new byte[5001]]);
        HeldPublications(new byte[5000], [new byte[200_000], new byte[3]]);
    }

    [Fact]
    public void Units_that_change_places_are_found_again()
    {
        var random = new Random(8);
        var units = Enumerable.Range(0, 500).Select(_ => Text(random, random.Next(150, 320))).ToArray();
        var before = units.SelectMany(unit => unit).ToArray();
        var (longest, contents) = (0, new List<byte[]>());
        for (var step = 0; step < 20; step++)
        {
            for (var swap = 0; swap < 10; swap++)
            {
                var (one, two) = (random.Next(units.Length), random.Next(units.Length));
                (units[one], units[two]) = (units[two], units[one]);
            }

            contents.Add([.. units.SelectMany(unit => unit)]);
        }

        foreach (var length in HeldPublications(before, contents))
        {
            longest = Math.Max(longest, length);
        }

        // 20 units of 500 are elsewhere: some tens of sequences, a few bytes each.
        Assert.InRange(longest, 20, 900);
    }

    [Fact]
    public void The_most_sequences_and_the_longest_literals_matches_and_distances_of_a_block_come_back()
    {
        const int block = 128 << 10;
        const int literals = 70_000;
        var random = new Random(9);
        var start = Text(random, 4 << 20);
        var one = start[..block];

        // Every sixth byte is another: some 21,800 sequences of a literal and five bytes each.
        byte[] many = [.. one.Select((value, at) => at % 6 == 0 ? (byte)(value + 1) : value)];
        Assert.InRange(HeldPublications(one, [many])[0], 21_000, 30_000);

        // More literals than 16 bits tell, then all the rest in one match.
        byte[] few = [.. Text(random, literals), .. one[literals..]];
        Assert.InRange(HeldPublications(one, [few])[0], literals, literals + 200);

        // Blocks of one match each, from as far as two contents in a window of 8 MiB can be.
        Assert.All(HeldPublications(start, [[.. start], start[1..]]), length => Assert.InRange(length, 1, 1000));
    }

    // Lengths of what was written for each.
    private static List<int> HeldPublications(byte[] start, IEnumerable<byte[]> contents)
    {
        using var compressor = new ZstdCompressor();
        using var decompressor = new ZstdDecompressor();
        var written = MessageBuffer.Rent();
        var made = MessageBuffer.Rent();
        var blocks = new DeltaBlocks();
        var lengths = new List<int>();
        compressor.Begin(Window);
        decompressor.Begin(Window);
        blocks.Begin();
        compressor.Flush(start, written);
        if (start.Length > 0)
        {
            decompressor.Next(written.Written.Span, start.Length, made);
        }
        else
        {
            // An empty flush gives nothing: the frame's head comes with a byte.
            written.Clear();
            compressor.Flush([0], written);
            decompressor.Next(written.Written.Span, 1, made);
        }

        var last = start;
        foreach (var content in contents)
        {
            written.Clear();
            made.Clear();
            blocks.Write(last, content, written);
            Assert.InRange(written.Length, 0, content.Length + (3 * ((content.Length >> 17) + 1)));
            decompressor.Next(written.Written.Span, content.Length, made);
            Assert.True(made.Written.Span.SequenceEqual(content), "another content came back");
            lengths.Add(written.Length);
            last = content;
        }

        written.Release();
        made.Release();
        return lengths;
    }

    private static byte[] Text(Random random, int length)
    {
        var text = new byte[length];
        random.NextBytes(text);
        return text;
    }

    private static byte[] Skewed(Random random, int length)
    {
        var bytes = new byte[length];
        for (var at = 0; at < length; at++)
        {
            bytes[at] = (byte)Math.Min(255, -Math.Log(random.NextDouble()) * 6);
        }

        return bytes;
    }

    private static Gen<(byte[] Start, List<byte[]> Contents)> Edits() =>
        from seed in Gen.Choose(0, int.MaxValue)
        from size in Gen.Elements(0, 1, 20, 300, 5_000, 60_000, 150_000, 300_000)
        from steps in Gen.Choose(1, 12)
        from most in Gen.Elements(1, 5, 60, 800)
        select Edited(new Random(seed), size, steps, most);

    private static (byte[] Start, List<byte[]> Contents) Edited(Random random, int size, int steps, int most)
    {
        var start = random.Next(2) == 0 ? Text(random, size) : Skewed(random, size);
        var content = start.ToList();
        var contents = new List<byte[]>();
        for (var step = 0; step < steps; step++)
        {
            for (var edit = random.Next(most); edit > 0; edit--)
            {
                Edit(random, content);
            }

            contents.Add([.. content]);
        }

        return (start, contents);
    }

    private static void Edit(Random random, List<byte> content)
    {
        var at = random.Next(content.Count + 1);
        var length = Math.Min((int)Math.Pow(2, random.NextDouble() * 11), content.Count - at);
        switch (random.Next(6))
        {
            case 0:
                content.InsertRange(at, Text(random, random.Next(20)));
                break;
            case 1:
                content.RemoveRange(at, length);
                break;
            case 2:
                content.InsertRange(random.Next(at + 1), content.GetRange(at, length));
                break;
            case 3:
                content.InsertRange(at, Skewed(random, length));
                break;
            case 4:
                var moved = content.GetRange(at, length);
                content.RemoveRange(at, length);
                content.InsertRange(random.Next(content.Count + 1), moved);
                break;
            default:
                foreach (var changed in Enumerable.Range(at, Math.Min(length, 8)))
                {
                    content[changed] += (byte)random.Next(3);
                }

                break;
        }
    }
}
