namespace Sc2Bridge.Encodings.Zstd.Blocks;

/// <summary>
/// How lengths are told: a code for a range of them, and which of the range in bits (RFC 8878, 3.1.1.3.2.1.1). Short
/// ones have a code each.
/// </summary>
internal sealed class LengthCodes
{
    private readonly int _least;
    private readonly byte[] _bits;
    private readonly byte[] _codes;

    // How many codes stand for one length each, then how many bits each further one has.
    private LengthCodes(int least, int single, ReadOnlySpan<byte> bits)
    {
        _least = least;
        _bits = [.. new byte[single], .. bits];
        var codes = new List<byte>();
        for (var code = 0; code < _bits.Length && codes.Count < 256; code++)
        {
            codes.AddRange(Enumerable.Repeat((byte)code, 1 << _bits[code]));
        }

        _codes = [.. codes.Take(256)];
    }

    /// <summary>Of literals in front of a match: from 0 to 131,071.</summary>
    public static LengthCodes Literals { get; } =
        new(0, 16, [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

    /// <summary>Of matches: from 3 to 131,074.</summary>
    public static LengthCodes Matches { get; } =
        new(3, 32, [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

    /// <summary>How many codes there are.</summary>
    public int Count => _bits.Length;

    /// <summary>A length's code.</summary>
    public int Of(int length)
    {
        var value = length - _least;

        // From 2^7 on a code stands for all lengths of as many digits: its bits are one less than these.
        return value < 128 ? _codes[value] : System.Numerics.BitOperations.Log2((uint)value) - 7 + _codes[127] + 1;
    }

    /// <summary>Which of its code's range a length is.</summary>
    public void AddRest(ref BitWriter bits, int length, int code) => bits.Add((uint)(length - _least), _bits[code]);
}
