using System.Numerics;

namespace Sc2Bridge.Encodings.Zstd.Blocks;

/// <summary>
/// Symbols of an alphabet by Finite State Entropy (RFC 8878, 4.1): a frequent one takes a fraction of a bit. A stream
/// is written from its last symbol to its first. Not thread-safe while it is built.
/// </summary>
/// <param name="log">Base 2 logarithm of its states: 5 to 9.</param>
/// <param name="symbols">Size of the alphabet, at most the states.</param>
internal sealed class FseTable(int log, int symbols)
{
    private readonly short[] _counts = new short[symbols];
    private readonly ushort[] _states = new ushort[1 << log];
    private readonly byte[] _spread = new byte[1 << log];
    private readonly (int Offset, uint Bits)[] _steps = new (int, uint)[symbols];

    private int States => 1 << log;

    /// <summary>Makes it for symbols that are about as frequent as those counted.</summary>
    /// <param name="counted">How often each came: one that never came has no place and must not be written.</param>
    /// <returns>False where fewer than two symbols came: for these there is no table.</returns>
    public bool Build(ReadOnlySpan<int> counted)
    {
        if (counted.Length - counted.Count(0) < 2)
        {
            return false;
        }

        Normalize(counted);
        Spread();
        var (first, states) = (0, States);
        Span<int> next = stackalloc int[symbols];
        for (var symbol = 0; symbol < symbols; symbol++)
        {
            int count = _counts[symbol];
            next[symbol] = first;
            var most = log - (count > 1 ? BitOperations.Log2((uint)count - 1) : 0);
            _steps[symbol] = (first - count, (uint)((most << 16) - (count << most)));
            first += count;
        }

        for (var state = 0; state < states; state++)
        {
            _states[next[_spread[state]]++] = (ushort)(states + state);
        }

        return true;
    }

    /// <summary>The state that the last symbol leaves.</summary>
    public uint Begin(int symbol)
    {
        var (offset, bits) = _steps[symbol];
        var count = (bits + (1 << 15)) >> 16;
        return _states[(int)(((count << 16) - bits) >> (int)count) + offset];
    }

    /// <summary>The state that a symbol leaves, after the one of those behind it.</summary>
    public uint Next(ref BitWriter bits, uint state, int symbol)
    {
        var (offset, step) = _steps[symbol];
        var count = (int)((state + step) >> 16);
        bits.Add(state, count);
        return _states[(int)(state >> count) + offset];
    }

    /// <summary>Tells the state that the first symbol left.</summary>
    public void End(ref BitWriter bits, uint state) => bits.Add(state, log);

    /// <summary>Writes the table's description (RFC 8878, 4.1.1).</summary>
    /// <param name="target">At least two bytes a symbol, and 8.</param>
    /// <returns>Its bytes.</returns>
    public int Describe(Span<byte> target)
    {
        var bits = new BitWriter(target);
        var (left, threshold, width) = (States + 1, States, log + 1);
        bits.Add((uint)log - 5, 4);
        for (var symbol = 0; left > 1; symbol++)
        {
            int count = _counts[symbol];

            // Values that cannot be as large as the width allows take a bit less.
            var spare = (2 * threshold) - 1 - left;
            var value = count + 1;
            value += value >= threshold ? spare : 0;
            bits.Add((uint)value, value < spare ? width - 1 : width);
            left -= count;
            while (left < threshold)
            {
                threshold >>= 1;
                width--;
            }

            if (count == 0)
            {
                // How many more are zero, three at a time.
                var zeros = 0;
                while (_counts[symbol + 1] == 0)
                {
                    symbol++;
                    zeros++;
                }

                for (; zeros >= 3; zeros -= 3)
                {
                    bits.Add(3, 2);
                    bits.Flush();
                }

                bits.Add((uint)zeros, 2);
            }

            bits.Flush();
        }

        return bits.Pad();
    }

    // To whole shares of the states, at least one for each that came.
    private void Normalize(ReadOnlySpan<int> counted)
    {
        long total = 0;
        foreach (var count in counted)
        {
            total += count;
        }

        var free = States;
        for (var symbol = 0; symbol < symbols; symbol++)
        {
            var share = counted[symbol] == 0 ? 0 : Math.Max(1, (int)(counted[symbol] * (long)States / total));
            _counts[symbol] = (short)share;
            free -= share;
        }

        while (free != 0)
        {
            // What rounding leaves or lacks is for the greatest, who feel it least.
            var greatest = 0;
            for (var symbol = 1; symbol < symbols; symbol++)
            {
                greatest = _counts[symbol] > _counts[greatest] ? symbol : greatest;
            }

            var change = free > 0 ? free : -Math.Min(-free, _counts[greatest] / 2);
            _counts[greatest] += (short)change;
            free -= change;
        }
    }

    private void Spread()
    {
        var (position, mask) = (0, States - 1);
        var step = (States >> 1) + (States >> 3) + 3;
        for (var symbol = 0; symbol < symbols; symbol++)
        {
            for (var time = 0; time < _counts[symbol]; time++)
            {
                _spread[position] = (byte)symbol;
                position = (position + step) & mask;
            }
        }
    }
}
