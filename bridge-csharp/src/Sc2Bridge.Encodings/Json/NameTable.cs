using System.Buffers.Binary;

namespace Sc2Bridge.Encodings.Json;

/// <summary>Finds the place of a name by its UTF-8 bytes, without a string.</summary>
internal sealed class NameTable
{
    private readonly byte[][] _names;
    private readonly int[] _places;

    // One more than the place among the names; 0 for an empty slot. At most half of them are taken.
    private readonly int[] _slots;

    /// <param name="names">Each with the place that it leads to; several may lead to one.</param>
    public NameTable(IEnumerable<(string Name, int Place)> names)
    {
        var all = names.Distinct().ToArray();
        _names = [.. all.Select(name => System.Text.Encoding.UTF8.GetBytes(name.Name))];
        _places = [.. all.Select(name => name.Place)];
        _slots = new int[System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Max(1, 2 * all.Length))];
        for (var i = 0; i < _names.Length; i++)
        {
            var slot = Slot(_names[i]);
            while (_slots[slot] != 0)
            {
                slot = (slot + 1) & (_slots.Length - 1);
            }

            _slots[slot] = i + 1;
        }
    }

    /// <summary>The place of a name, or -1.</summary>
    public int Find(ReadOnlySpan<byte> name)
    {
        for (var slot = Slot(name); _slots[slot] is > 0 and var found; slot = (slot + 1) & (_slots.Length - 1))
        {
            if (name.SequenceEqual(_names[found - 1]))
            {
                return _places[found - 1];
            }
        }

        return -1;
    }

    // Both ends and the length tell nearly all names of a message apart; the multiplier is that of SplitMix64.
    private int Slot(ReadOnlySpan<byte> name)
    {
        ulong mixed;
        if (name.Length >= 8)
        {
            mixed = BinaryPrimitives.ReadUInt64LittleEndian(name)
                ^ ulong.RotateLeft(BinaryPrimitives.ReadUInt64LittleEndian(name[^8..]), 29);
        }
        else
        {
            mixed = 0;
            foreach (var letter in name)
            {
                mixed = (mixed << 8) | letter;
            }
        }

        mixed = (mixed + (uint)name.Length) * 0xBF58476D1CE4E5B9;
        return (int)(mixed >> 40) & (_slots.Length - 1);
    }
}
