using System.Globalization;
using System.Runtime.InteropServices;
using Sc2Bridge.Encodings.Json.Writing;

namespace Sc2Bridge.Encodings.Tests.Json;

public sealed class TextNumberTests
{
    [Fact]
    public void Whole_numbers_are_written_as_NET_writes_them()
    {
        var random = new Random(2);
        var numbers = Enumerable.Range(0, 64).SelectMany(bit => new[] { 1ul << bit, (1ul << bit) - 1, ~(1ul << bit) })
            .Concat(Enumerable.Range(0, 20).Select(power => (ulong)Math.Pow(10, power)).SelectMany(
                power => new[] { power, power - 1, power + 1, power * 3 }))
            .Concat(Enumerable.Range(0, Cases.Of(120_000)).Select(small => (ulong)(small * Cases.Every)))
            .Concat(Enumerable.Range(0, Cases.Of(300_000)).Select(_ => (ulong)random.NextInt64() >> random.Next(64)));
        foreach (var number in numbers)
        {
            AssertText(number, (ref byte to) => TextNumbers.Whole(ref to, 0, number));
            AssertText((long)number, (ref byte to) => TextNumbers.Whole(ref to, 0, (long)number));
            AssertText((uint)number, (ref byte to) => TextNumbers.Whole(ref to, 0, (uint)number));
            AssertText((int)number, (ref byte to) => TextNumbers.Whole(ref to, 0, (int)number));
        }
    }

    // Every 1,427th of the 2^32 floats with --all, at different mantissas for each power of two.
    [Fact]
    public void Floats_are_written_as_NET_writes_them()
    {
        for (ulong bits = 0; bits <= uint.MaxValue; bits += 1_427ul * (ulong)Cases.Every)
        {
            AssertFloat((uint)bits);
        }
    }

    [Fact]
    public void Floats_at_the_edges_of_what_is_done_here_are_written_as_NET_writes_them()
    {
        for (uint exponent = 0; exponent < 256; exponent++)
        {
            for (var near = -300; near <= 300; near++)
            {
                AssertFloat((exponent << 23) + (uint)near);
            }
        }

        for (var cell = 0; cell < 1 << 20; cell += Cases.Every)
        {
            AssertFloat(BitConverter.SingleToUInt32Bits(cell / 4096f));
            AssertFloat(BitConverter.SingleToUInt32Bits(cell / 1000f));
        }
    }

    [Fact]
    public void Doubles_are_written_as_NET_writes_them()
    {
        var random = new Random(2);
        for (var round = 0; round < Cases.Of(100_000); round++)
        {
            var value = BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue));
            AssertText(value, (ref byte to) => TextNumbers.Double(ref to, 0, BitConverter.DoubleToUInt64Bits(value)));
        }
    }

    private delegate int Writer(ref byte to);

    private static void AssertFloat(uint bits)
    {
        var room = (stackalloc byte[TextNumbers.Longest]);
        var length = TextNumbers.Float(ref MemoryMarshal.GetReference(room), 0, bits);
        var expected = (stackalloc byte[TextNumbers.Longest]);
        var value = BitConverter.UInt32BitsToSingle(bits);
        if (!float.IsFinite(value) || bits == 1u << 31 || Math.Abs(value) == float.MaxValue)
        {
            return; // WireToJsonTests covers the other forms
        }

        Assert.True(value.TryFormat(expected, out var wanted, "R", CultureInfo.InvariantCulture));
        if (!room[..length].SequenceEqual(expected[..wanted]))
        {
            Assert.Fail($"{value:R} is written as {System.Text.Encoding.UTF8.GetString(room[..length])}");
        }
    }

    private static void AssertText<T>(T value, Writer writer)
        where T : IFormattable
    {
        if (value is double number && !double.IsFinite(number))
        {
            return;
        }

        var room = (stackalloc byte[TextNumbers.Longest]);
        var length = writer(ref MemoryMarshal.GetReference(room));
        var expected = value.ToString(value is double ? "R" : null, CultureInfo.InvariantCulture);
        Assert.Equal(expected, System.Text.Encoding.UTF8.GetString(room[..length]));
    }
}
