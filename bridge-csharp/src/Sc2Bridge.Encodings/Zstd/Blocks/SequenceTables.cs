using System.Numerics;

namespace Sc2Bridge.Encodings.Zstd.Blocks;

/// <summary>
/// How a group's sequences are written (RFC 8878, 3.1.1.3.2): three tables, made for the first that come, told once and
/// used to the group's end. Not thread-safe.
/// </summary>
internal sealed class SequenceTables
{
    // Distances reach over a window of at most 2^23 bytes.
    private const int DistanceCodes = GroupLimits.MostWindowLog + 1;
    private const int DescribedAs = 0b10;
    private const int AsBefore = 0b11;

    private readonly FseTable _literals = new(9, LengthCodes.Literals.Count);
    private readonly FseTable _matches = new(9, LengthCodes.Matches.Count);
    private readonly FseTable _distances = new(8, DistanceCodes);
    private uint[] _offsets = new uint[2048];

    /// <summary>What the decoder knows by now; the default where libzstd wrote what came before.</summary>
    public TableState Known { get; set; }

    /// <summary>Writes the section of a block's sequences.</summary>
    /// <param name="sequences">The sequences.</param>
    /// <param name="target">At least 12 bytes for each, and 512.</param>
    /// <returns>The section's bytes.</returns>
    public int Write(ReadOnlySpan<Sequence> sequences, Span<byte> target)
    {
        var length = WriteCount(sequences.Length, target);
        if (sequences.IsEmpty)
        {
            return length;
        }

        NumberDistances(sequences);
        var told = Known.Tables ? AsBefore : DescribedAs;
        target[length++] = (byte)((told << 6) | (told << 4) | (told << 2));
        if (!Known.Tables)
        {
            Build(sequences);
            length += _literals.Describe(target[length..]);
            length += _distances.Describe(target[length..]);
            length += _matches.Describe(target[length..]);
            Known = Known with { Tables = true };
        }

        return length + WriteStream(sequences, target[length..]);
    }

    // A block of 128 KiB has no more than the two bytes can tell, 32,511: each stands for five bytes at least.
    private static int WriteCount(int count, Span<byte> target)
    {
        if (count < 128)
        {
            target[0] = (byte)count;
            return 1;
        }

        target[0] = (byte)((count >> 8) + 128);
        target[1] = (byte)count;
        return 2;
    }

    // 1 and 2 are the distances used last; others come after three of these. Without literals that is otherwise: then
    // the distance itself is told.
    private void NumberDistances(ReadOnlySpan<Sequence> sequences)
    {
        if (_offsets.Length < sequences.Length)
        {
            _offsets = new uint[sequences.Length * 2];
        }

        var (last, lastButOne) = (Known.Last, Known.LastButOne);
        for (var index = 0; index < sequences.Length; index++)
        {
            var (literals, _, distance) = sequences[index];
            if (literals > 0 && distance == last)
            {
                _offsets[index] = 1;
                continue;
            }

            _offsets[index] = literals > 0 && distance == lastButOne ? 2 : (uint)distance + 3;
            (last, lastButOne) = (distance, last);
        }

        Known = Known with { Last = last, LastButOne = lastButOne };
    }

    private void Build(ReadOnlySpan<Sequence> sequences)
    {
        Span<int> literals = stackalloc int[LengthCodes.Literals.Count];
        Span<int> matches = stackalloc int[LengthCodes.Matches.Count];
        Span<int> distances = stackalloc int[DistanceCodes];

        // One that did not come may come later.
        literals.Fill(1);
        matches.Fill(1);
        distances.Fill(1);
        for (var index = 0; index < sequences.Length; index++)
        {
            literals[LengthCodes.Literals.Of(sequences[index].Literals)] += 8;
            matches[LengthCodes.Matches.Of(sequences[index].Match)] += 8;
            distances[BitOperations.Log2(_offsets[index])] += 8;
        }

        _ = _literals.Build(literals) && _matches.Build(matches) && _distances.Build(distances);
    }

    private int WriteStream(ReadOnlySpan<Sequence> sequences, Span<byte> target)
    {
        var bits = new BitWriter(target);
        var (literals, matches, distances) = (0u, 0u, 0u);
        for (var index = sequences.Length - 1; index >= 0; index--)
        {
            var sequence = sequences[index];
            var literalCode = LengthCodes.Literals.Of(sequence.Literals);
            var matchCode = LengthCodes.Matches.Of(sequence.Match);
            var offset = _offsets[index];
            var distanceCode = BitOperations.Log2(offset);
            if (index == sequences.Length - 1)
            {
                matches = _matches.Begin(matchCode);
                distances = _distances.Begin(distanceCode);
                literals = _literals.Begin(literalCode);
            }
            else
            {
                distances = _distances.Next(ref bits, distances, distanceCode);
                matches = _matches.Next(ref bits, matches, matchCode);
                literals = _literals.Next(ref bits, literals, literalCode);
            }

            bits.Flush();
            LengthCodes.Literals.AddRest(ref bits, sequence.Literals, literalCode);
            LengthCodes.Matches.AddRest(ref bits, sequence.Match, matchCode);
            bits.Add(offset, distanceCode);
            bits.Flush();
        }

        _matches.End(ref bits, matches);
        _distances.End(ref bits, distances);
        _literals.End(ref bits, literals);
        return bits.End();
    }

    /// <summary>What the decoder knows.</summary>
    /// <param name="Tables">Whether it has the three tables.</param>
    /// <param name="Last">The distance that was used last; 0 where it is not known here.</param>
    /// <param name="LastButOne">The one before.</param>
    internal readonly record struct TableState(bool Tables, int Last, int LastButOne);
}
