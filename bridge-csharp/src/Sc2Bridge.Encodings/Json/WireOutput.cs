using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json;

/// <summary>Writes a message's fields into a pooled buffer.</summary>
internal ref struct WireOutput
{
    // Any tag or scalar: nothing but the first bytes of it counts.
    private const int Longest = 16;

    private readonly MessageBuffer _buffer;
    private readonly int _origin;
    private Span<byte> _bytes;
    private int _end;
    private int _advanced;

    /// <param name="buffer">What is written is appended to it.</param>
    /// <param name="expected">How many bytes that may be.</param>
    public WireOutput(MessageBuffer buffer, int expected)
    {
        _buffer = buffer;
        _origin = MessageBuffer.Headroom + buffer.Length;
        _bytes = buffer.GetSpan(expected);
    }

    /// <summary>Ends the message.</summary>
    public void Finish() => Hand();

    /// <summary>Writes a field's tag.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Tag(JsonField field)
    {
        Reserve(Longest);
        BinaryPrimitives.WriteUInt64LittleEndian(_bytes[_end..], field.Tag);
        _end += field.TagLength;
    }

    /// <summary>Begins something whose length stands before it; <see cref="End"/> writes that.</summary>
    public int Begin()
    {
        Reserve(Longest);
        return ++_end;
    }

    /// <summary>Ends what began at <paramref name="start"/>.</summary>
    public void End(int start)
    {
        var length = _end - start;
        if (length < 0x80)
        {
            _bytes[start - 1] = (byte)length;
            return;
        }

        var more = ((BitOperations.Log2((uint)length) * 9) + 73 >> 6) - 1;
        Reserve(more);
        _bytes.Slice(start, length).CopyTo(_bytes[(start + more)..]);
        _end += more;
        for (var at = start - 1; ; at++, length >>= 7)
        {
            if (length < 0x80)
            {
                _bytes[at] = (byte)length;
                return;
            }

            _bytes[at] = (byte)(length | 0x80);
        }
    }

    /// <summary>Writes a number in groups of seven bits.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Varint(ulong value)
    {
        Reserve(Longest);
        while (value >= 0x80)
        {
            _bytes[_end++] = (byte)(value | 0x80);
            value >>= 7;
        }

        _bytes[_end++] = (byte)value;
    }

    /// <summary>Writes four bytes, the lowest first.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Fixed32(uint value)
    {
        Reserve(Longest);
        BinaryPrimitives.WriteUInt32LittleEndian(_bytes[_end..], value);
        _end += 4;
    }

    /// <summary>Writes eight bytes, the lowest first.</summary>
    public void Fixed64(ulong value)
    {
        Reserve(Longest);
        BinaryPrimitives.WriteUInt64LittleEndian(_bytes[_end..], value);
        _end += 8;
    }

    /// <summary>Writes bytes behind their length.</summary>
    public void Bytes(ReadOnlySpan<byte> value) => value.CopyTo(Room(value.Length));

    /// <summary>Writes a length, and answers the place of so many bytes for the caller to fill.</summary>
    public Span<byte> Room(int length)
    {
        Varint((uint)length);
        Reserve(length);
        var room = _bytes.Slice(_end, length);
        _end += length;
        return room;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Reserve(int count)
    {
        if (_bytes.Length - _end < count)
        {
            Grow(count);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Grow(int count)
    {
        Hand();
        _buffer.GetSpan(count);
        _bytes = _buffer.Array.AsSpan(_origin);
    }

    // The buffer keeps, when it grows, what it was told of.
    private void Hand()
    {
        _buffer.Advance(_end - _advanced);
        _advanced = _end;
    }
}
