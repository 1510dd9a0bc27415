using System.Buffers.Binary;

namespace Sc2Bridge.Encodings.Zstd.Blocks;

/// <summary>
/// A bit stream of zstd (RFC 8878, 4.1 and 4.2): little-endian, read from its end, where a one marks the last bit.
/// </summary>
/// <param name="target">Gets the bytes; up to 8 more than the stream has are overwritten.</param>
internal ref struct BitWriter(Span<byte> target)
{
    private readonly Span<byte> _target = target;
    private ulong _bits;
    private int _count;
    private int _at;

    /// <summary>Adds the lowest bits of a value; at most 55 between two calls of <see cref="Flush"/>.</summary>
    public void Add(uint value, int count)
    {
        _bits |= (value & ((1UL << count) - 1)) << _count;
        _count += count;
    }

    /// <summary>Writes whole bytes out.</summary>
    public void Flush()
    {
        BinaryPrimitives.WriteUInt64LittleEndian(_target[_at..], _bits);
        _at += _count >> 3;
        _bits >>= _count & ~7;
        _count &= 7;
    }

    /// <summary>Ends what is no stream, but only bits: the last byte is filled with zeros.</summary>
    /// <returns>Its bytes.</returns>
    public int Pad()
    {
        Flush();
        return _at + (_count > 0 ? 1 : 0);
    }

    /// <summary>Ends the stream.</summary>
    /// <returns>Its bytes.</returns>
    public int End()
    {
        Add(1, 1);
        return Pad();
    }
}
