using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>Writes protobuf fields into one growing array that is kept from message to message.</summary>
internal sealed class WireWriter
{
    private byte[] _bytes = new byte[64 * 1024];
    private int _end;

    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, _end);

    public void Clear() => _end = 0;

    /// <summary>Begins a message field; its length takes its place in <see cref="End"/>.</summary>
    public int Begin(int field)
    {
        Tag(field, 2);
        Reserve(1);
        return ++_end;
    }

    /// <summary>Ends the message field whose content began at <paramref name="start"/>.</summary>
    public void End(int start)
    {
        var length = _end - start;
        var size = VarintSize((ulong)length);
        if (size > 1)
        {
            // One byte was kept for the length: most nested messages are short, and long ones are few.
            Reserve(size - 1);
            _bytes.AsSpan(start, length).CopyTo(_bytes.AsSpan(start + size - 1));
        }

        _end = start - 1;
        Varint((ulong)length);
        _end += length;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UInt(int field, ulong value)
    {
        Reserve(16);
        Tag(field, 0);
        Varint(value);
    }

    public void Int(int field, int value) => UInt(field, (ulong)(long)value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Bool(int field, bool value) => UInt(field, value ? 1u : 0u);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Float(int field, float value)
    {
        Reserve(12);
        Tag(field, 5);
        BinaryPrimitives.WriteSingleLittleEndian(_bytes.AsSpan(_end), value);
        _end += 4;
    }

    public void Bytes(int field, ReadOnlySpan<byte> value)
    {
        Reserve(value.Length + 16);
        Tag(field, 2);
        Varint((ulong)value.Length);
        value.CopyTo(_bytes.AsSpan(_end));
        _end += value.Length;
    }

    public void Point(int field, float x, float y, float z)
    {
        Reserve(24);
        Tag(field, 2);
        _bytes[_end++] = 15;
        Float(1, x);
        Float(2, y);
        Float(3, z);
    }

    public void Point2(int field, float x, float y)
    {
        Reserve(24);
        Tag(field, 2);
        _bytes[_end++] = 10;
        Float(1, x);
        Float(2, y);
    }

    private static int VarintSize(ulong value) => ((BitOperations.Log2(value | 1) * 9) + 73) >> 6;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Tag(int field, int wireType)
    {
        Reserve(16);
        Varint(((ulong)field << 3) | (uint)wireType);
    }

    private void Varint(ulong value)
    {
        while (value >= 0x80)
        {
            _bytes[_end++] = (byte)(value | 0x80);
            value >>= 7;
        }

        _bytes[_end++] = (byte)value;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Reserve(int count)
    {
        if (_bytes.Length - _end < count)
        {
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, _end + count));
        }
    }
}
