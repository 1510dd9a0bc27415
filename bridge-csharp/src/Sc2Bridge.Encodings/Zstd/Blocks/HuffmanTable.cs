namespace Sc2Bridge.Encodings.Zstd.Blocks;

/// <summary>
/// Bytes by a Huffman code of at most 11 bits each (RFC 8878, 4.2), every one of the 256. Not thread-safe while it is
/// built.
/// </summary>
internal sealed class HuffmanTable
{
    private const int Symbols = 256;
    private const int MostBits = 11;
    private const int LongestDescription = 127;

    // Weights are described by a table of at most 64 states.
    private const int WeightsLog = 6;

    private readonly byte[] _lengths = new byte[Symbols];
    private readonly ushort[] _codes = new ushort[Symbols];
    private readonly int[] _counts = new int[Symbols];
    private readonly int[] _parents = new int[2 * Symbols];
    private readonly int[] _sums = new int[2 * Symbols];
    private readonly int[] _order = new int[Symbols];
    private readonly FseTable _weights = new(WeightsLog, MostBits + 1);

    /// <summary>Makes it for bytes that are about as frequent as those counted.</summary>
    /// <param name="counted">How often each of the 256 came.</param>
    public void Build(ReadOnlySpan<int> counted)
    {
        for (var symbol = 0; symbol < Symbols; symbol++)
        {
            // One that did not come may come later.
            _counts[symbol] = (counted[symbol] * 8) + 1;
        }

        while (!MakeLengths())
        {
            // Too deep: rarer ones are taken for less rare.
            for (var symbol = 0; symbol < Symbols; symbol++)
            {
                _counts[symbol] = (_counts[symbol] >> 1) | 1;
            }
        }

        MakeCodes();
    }

    /// <summary>Writes the code's description (RFC 8878, 4.2.1), the weights compressed.</summary>
    /// <param name="target">At least 512 bytes.</param>
    /// <returns>Its bytes; 0 where it cannot be described so: all are of one length, or it takes too long.</returns>
    public int Describe(Span<byte> target)
    {
        Span<int> counted = stackalloc int[MostBits + 1];
        var most = _lengths.Max();

        // The last one's follows from the others'.
        for (var symbol = 0; symbol < Symbols - 1; symbol++)
        {
            counted[most + 1 - _lengths[symbol]]++;
        }

        if (!_weights.Build(counted))
        {
            return 0;
        }

        var length = 1 + _weights.Describe(target[1..]);
        var bits = new BitWriter(target[length..]);

        // Two states take turns; 255 weights, so that the first and the last are of the same.
        var even = _weights.Begin(Weight(Symbols - 2));
        var odd = _weights.Begin(Weight(Symbols - 3));
        for (var symbol = Symbols - 4; symbol >= 0; symbol--)
        {
            if (symbol % 2 == 0)
            {
                even = _weights.Next(ref bits, even, Weight(symbol));
            }
            else
            {
                odd = _weights.Next(ref bits, odd, Weight(symbol));
            }

            bits.Flush();
        }

        _weights.End(ref bits, odd);
        _weights.End(ref bits, even);
        length += bits.End();
        target[0] = (byte)(length - 1);
        return length - 1 <= LongestDescription ? length : 0;

        int Weight(int symbol) => most + 1 - _lengths[symbol];
    }

    /// <summary>Writes bytes as one stream.</summary>
    /// <param name="literals">The bytes.</param>
    /// <param name="target">At least one and a half times as many, and 16.</param>
    /// <returns>The stream's bytes.</returns>
    public int Write(ReadOnlySpan<byte> literals, Span<byte> target)
    {
        var bits = new BitWriter(target);
        var at = literals.Length;
        for (; at >= 4; at -= 4)
        {
            Add(ref bits, literals[at - 1]);
            Add(ref bits, literals[at - 2]);
            Add(ref bits, literals[at - 3]);
            Add(ref bits, literals[at - 4]);
            bits.Flush();
        }

        while (at > 0)
        {
            Add(ref bits, literals[--at]);
        }

        return bits.End();
    }

    private void Add(ref BitWriter bits, byte literal) => bits.Add(_codes[literal], _lengths[literal]);

    // Two queues: the bytes by their counts, and the pairs, which come in the order of their sums.
    private bool MakeLengths()
    {
        for (var symbol = 0; symbol < Symbols; symbol++)
        {
            (_order[symbol], _sums[symbol]) = (symbol, _counts[symbol]);
        }

        _sums.AsSpan(0, Symbols).Sort(_order.AsSpan());
        var (nextLeaf, nextPair, last) = (0, Symbols, (2 * Symbols) - 2);
        for (var pair = Symbols; pair <= last; pair++)
        {
            var (one, two) = (Least(pair), Least(pair));
            _sums[pair] = _sums[one] + _sums[two];
            (_parents[one], _parents[two]) = (pair, pair);
        }

        // Depths, from the root down; sums are no longer needed.
        _sums[last] = 0;
        for (var node = last - 1; node >= 0; node--)
        {
            _sums[node] = _sums[_parents[node]] + 1;
        }

        for (var leaf = 0; leaf < Symbols; leaf++)
        {
            if (_sums[leaf] > MostBits)
            {
                return false;
            }

            _lengths[_order[leaf]] = (byte)_sums[leaf];
        }

        return true;

        int Least(int pairs) => nextPair >= pairs || (nextLeaf < Symbols && _sums[nextLeaf] <= _sums[nextPair])
            ? nextLeaf++
            : nextPair++;
    }

    // Canonical: the longest from 0 on, those of one length in the order of the bytes.
    private void MakeCodes()
    {
        Span<int> ofLength = stackalloc int[MostBits + 1];
        foreach (var length in _lengths)
        {
            ofLength[length]++;
        }

        Span<int> next = stackalloc int[MostBits + 1];
        var code = 0;
        for (var length = MostBits; length > 0; length--)
        {
            next[length] = code;
            code = (code + ofLength[length]) >> 1;
        }

        for (var symbol = 0; symbol < Symbols; symbol++)
        {
            _codes[symbol] = (ushort)next[_lengths[symbol]]++;
        }
    }
}
