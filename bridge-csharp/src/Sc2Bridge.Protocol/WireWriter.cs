using System.Buffers;
using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using Google.Protobuf;

namespace Sc2Bridge.Protocol;

/// <summary>
/// Writes fields of a message (protobuf's encoding, "Message structure") behind what a buffer holds. Copies write to the
/// same buffer.
/// </summary>
/// <param name="buffer">Takes them; held by the caller alone.</param>
public readonly struct WireWriter(MessageBuffer buffer)
{
    /// <summary>The most bytes of a varint.</summary>
    public const int LongestVarint = 10;

    // A tag, and a number or a length.
    private const int LongestHead = 5 + LongestVarint;

    /// <summary>Where it writes.</summary>
    public MessageBuffer Buffer { get; } = buffer;

    /// <summary>Bytes that a varint takes.</summary>
    public static int VarintSize(ulong value) => ((BitOperations.Log2(value | 1) * 9) + 73) >> 6;

    /// <summary>Bytes that a field with a number takes.</summary>
    public static int NumberSize(int field, ulong value) => VarintSize((uint)field << 3) + VarintSize(value);

    /// <summary>Bytes that a field with bytes, or a message, takes.</summary>
    public static int BytesSize(int field, int length) => checked(NumberSize(field, (uint)length) + length);

    /// <summary>Writes a varint.</summary>
    /// <param name="to">Has room for it.</param>
    /// <param name="value">The number.</param>
    /// <returns>How many bytes it takes.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int WriteVarint(Span<byte> to, ulong value)
    {
        var at = 0;
        for (; value >= 0x80; value >>= 7)
        {
            to[at++] = (byte)(value | 0x80);
        }

        to[at++] = (byte)value;
        return at;
    }

    /// <summary>Writes a field with bytes, a text or a message to any writer.</summary>
    public static void WriteBytes(IBufferWriter<byte> to, int field, ReadOnlySpan<byte> content)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.Advance(WriteHead(to.GetSpan(LongestHead), field, WireFormat.WireType.LengthDelimited, (uint)content.Length));
        to.Write(content);
    }

    /// <summary>Writes a field with a number to any writer.</summary>
    public static void WriteNumber(IBufferWriter<byte> to, int field, ulong value)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.Advance(WriteHead(to.GetSpan(LongestHead), field, WireFormat.WireType.Varint, value));
    }

    /// <summary>Writes a field with a number.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Number(int field, ulong value) =>
        Buffer.Take(WriteHead(Buffer.Room(LongestHead), field, WireFormat.WireType.Varint, value));

    /// <summary>Writes a field with a number that may be negative.</summary>
    public void Number(int field, int value) => Number(field, (ulong)value);

    /// <summary>Writes a field that is true or false.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Bool(int field, bool value) => Number(field, value ? 1u : 0u);

    /// <summary>Writes a field with a floating-point number of 32 bits.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Real(int field, float value)
    {
        var to = Buffer.Room(LongestHead);
        var head = WriteVarint(to, WireFormat.MakeTag(field, WireFormat.WireType.Fixed32));
        BinaryPrimitives.WriteSingleLittleEndian(to[head..], value);
        Buffer.Take(head + sizeof(float));
    }

    /// <summary>Writes a field with bytes, a text or a message.</summary>
    public void Bytes(int field, ReadOnlySpan<byte> value)
    {
        Head(field, value.Length);
        Raw(value);
    }

    /// <summary>Writes what stands before the content of a field with bytes, or a message; the content follows.</summary>
    public void Head(int field, int length) =>
        Buffer.Take(WriteHead(
            Buffer.Room(LongestHead), field, WireFormat.WireType.LengthDelimited, (uint)length));

    /// <summary>Begins a field that is a message, whose length is not known yet.</summary>
    /// <returns>What <see cref="End"/> wants.</returns>
    public int Begin(int field)
    {
        Buffer.Take(WriteVarint(
            Buffer.Room(LongestHead), WireFormat.MakeTag(field, WireFormat.WireType.LengthDelimited)));
        return Begin();
    }

    /// <summary>Begins something behind its tag, whose length is not known yet.</summary>
    /// <returns>What <see cref="End"/> wants.</returns>
    public int Begin()
    {
        // One byte is kept for the length: most nested messages are short, and long ones are few.
        Buffer.Room(1);
        Buffer.Take(1);
        return Buffer.Length;
    }

    /// <summary>Ends what began last; its length takes its place.</summary>
    /// <param name="start">What was given when it began.</param>
    public void End(int start)
    {
        var length = Buffer.Length - start;
        var more = VarintSize((uint)length) - 1;
        if (more > 0)
        {
            Buffer.Room(more);
            Buffer.Take(more);
        }

        var from = Buffer.From(start - 1);
        if (more > 0)
        {
            from.Slice(1, length).CopyTo(from[(1 + more)..]);
        }

        WriteVarint(from, (uint)length);
    }

    /// <summary>Writes a number as it is, without a tag.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Varint(ulong value) => Buffer.Take(WriteVarint(Buffer.Room(LongestVarint), value));

    /// <summary>Writes four bytes, the lowest first.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Fixed32(uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(Buffer.Room(sizeof(uint)), value);
        Buffer.Take(sizeof(uint));
    }

    /// <summary>Writes eight bytes, the lowest first.</summary>
    public void Fixed64(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(Buffer.Room(sizeof(ulong)), value);
        Buffer.Take(sizeof(ulong));
    }

    /// <summary>Writes bytes as they are: whole fields, or the content of one.</summary>
    public void Raw(ReadOnlySpan<byte> value)
    {
        value.CopyTo(Buffer.Room(value.Length));
        Buffer.Take(value.Length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int WriteHead(Span<byte> to, int field, WireFormat.WireType type, ulong value)
    {
        var tag = WriteVarint(to, WireFormat.MakeTag(field, type));
        return tag + WriteVarint(to[tag..], value);
    }
}
