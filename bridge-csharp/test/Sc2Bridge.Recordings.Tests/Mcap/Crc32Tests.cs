using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings.Tests.Mcap;

public sealed class Crc32Tests
{
    [Theory]
    [InlineData("", 0x00000000)]
    [InlineData("123456789", 0xCBF43926)]
    [InlineData("The quick brown fox jumps over the lazy dog", 0x414FA339)]
    public void It_is_the_well_known_one(string text, uint crc) =>
        Assert.Equal(crc, Crc32.Of(System.Text.Encoding.ASCII.GetBytes(text)));

    [Fact]
    public void Pieces_of_any_length_come_to_what_one_byte_after_the_other_does()
    {
        var lengths = Gen.ListOf(Gen.Choose(0, 300)).Select(all => all.ToArray()).ToArbitrary();
        Check.QuickThrowOnFailure(Prop.ForAll(lengths, (int[] lengths) =>
        {
            var random = new Random(lengths.Sum());
            var bytes = new byte[lengths.Sum()];
            random.NextBytes(bytes);
            var crc = default(Crc32);
            var at = 0;
            foreach (var length in lengths)
            {
                crc.Add(bytes.AsSpan(at, length));
                at += length;
            }

            return crc.Value == Spec.Crc(bytes) && crc.Value == ~Crc32.Slice(~0U, bytes);
        }));
    }
}
