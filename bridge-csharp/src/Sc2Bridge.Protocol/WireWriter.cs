using System.Buffers;
using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using Google.Protobuf;

namespace Sc2Bridge.Protocol;

/// <summary>
/// Appends fields of a message (protobuf's encoding, "Message structure") to a buffer. Copies of the writer share the
/// buffer.
/// </summary>
/// <param name="buffer">The output. The caller must hold the only reference to the buffer.</param>
public readonly struct WireWriter(MessageBuffer buffer)
{
    /// <summary>The maximum length of a varint in bytes.</summary>
    public const int LongestVarint = 10;

    // The longest head of a field: a tag, followed by a number or a length.
    private const int LongestHead = 5 + LongestVarint;

    /// <summary>The output.</summary>
    public MessageBuffer Buffer { get; } = buffer;

    /// <summary>The length of a varint in bytes.</summary>
    public static int VarintSize(ulong value) => ((BitOperations.Log2(value | 1) * 9) + 73) >> 6;

    /// <summary>The length of a field with a number, in bytes.</summary>
    public static int NumberSize(int field, ulong value) => VarintSize((uint)field << 3) + VarintSize(value);

    /// <summary>The length of a field with bytes or a message, in bytes.</summary>
    public static int BytesSize(int field, int length) => checked(NumberSize(field, (uint)length) + length);

    /// <summary>Writes a varint.</summary>
    /// <param name="to">The output, which must be long enough.</param>
    /// <param name="value">The number.</param>
    /// <returns>The varint's length in bytes.</returns>
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

    /// <summary>Writes a field with bytes, a text or a message to any buffer writer.</summary>
    public static void WriteBytes(IBufferWriter<byte> to, int field, ReadOnlySpan<byte> content)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.Advance(WriteHead(to.GetSpan(LongestHead), field, WireFormat.WireType.LengthDelimited, (uint)content.Length));
        to.Write(content);
    }

    /// <summary>Writes a field with a number to any buffer writer.</summary>
    public static void WriteNumber(IBufferWriter<byte> to, int field, ulong value)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.Advance(WriteHead(to.GetSpan(LongestHead), field, WireFormat.WireType.Varint, value));
    }

    /// <summary>Writes a field with a number.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Number(int field, ulong value) =>
        Buffer.AdvanceUnchecked(WriteHead(Buffer.GetSpanUnchecked(LongestHead), field, WireFormat.WireType.Varint, value));

    /// <summary>Writes a field with a number that may be negative.</summary>
    public void Number(int field, int value) => Number(field, (ulong)value);

    /// <summary>Writes a field that is true or false.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Bool(int field, bool value) => Number(field, value ? 1u : 0u);

    /// <summary>Writes a field with a floating-point number of 32 bits.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Real(int field, float value)
    {
        var to = Buffer.GetSpanUnchecked(LongestHead);
        var head = WriteVarint(to, WireFormat.MakeTag(field, WireFormat.WireType.Fixed32));
        BinaryPrimitives.WriteSingleLittleEndian(to[head..], value);
        Buffer.AdvanceUnchecked(head + sizeof(float));
    }

    /// <summary>Writes a field with bytes, a text or a message.</summary>
    public void Bytes(int field, ReadOnlySpan<byte> value)
    {
        Head(field, value.Length);
        Raw(value);
    }

    /// <summary>Writes the tag and length of a field with bytes or a message. The content must follow.</summary>
    public void Head(int field, int length) =>
        Buffer.AdvanceUnchecked(WriteHead(
            Buffer.GetSpanUnchecked(LongestHead), field, WireFormat.WireType.LengthDelimited, (uint)length));

    /// <summary>Begins a field with a message of unknown length.</summary>
    /// <returns>The start, for <see cref="End"/>.</returns>
    public int Begin(int field)
    {
        Buffer.AdvanceUnchecked(WriteVarint(
            Buffer.GetSpanUnchecked(LongestHead), WireFormat.MakeTag(field, WireFormat.WireType.LengthDelimited)));
        return Begin();
    }

    /// <summary>Begins content of unknown length. The content's tag is already written.</summary>
    /// <returns>The start, for <see cref="End"/>.</returns>
    public int Begin()
    {
        // Reserves one byte for the length, because most nested messages are short. End moves the content of a longer message.
        Buffer.GetSpanUnchecked(1);
        Buffer.AdvanceUnchecked(1);
        return Buffer.Length;
    }

    /// <summary>Ends the message or content that was begun last, and writes its length.</summary>
    /// <param name="start">The value that <see cref="Begin()"/> returned.</param>
    public void End(int start)
    {
        var length = Buffer.Length - start;
        var extraBytes = VarintSize((uint)length) - 1;
        if (extraBytes > 0)
        {
            Buffer.GetSpanUnchecked(extraBytes);
            Buffer.AdvanceUnchecked(extraBytes);
        }

        var from = Buffer.SpanFrom(start - 1);
        if (extraBytes > 0)
        {
            from.Slice(1, length).CopyTo(from[(1 + extraBytes)..]);
        }

        WriteVarint(from, (uint)length);
    }

    /// <summary>Writes a number without a tag.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Varint(ulong value) => Buffer.AdvanceUnchecked(WriteVarint(Buffer.GetSpanUnchecked(LongestVarint), value));

    /// <summary>Writes four bytes, little-endian.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Fixed32(uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(Buffer.GetSpanUnchecked(sizeof(uint)), value);
        Buffer.AdvanceUnchecked(sizeof(uint));
    }

    /// <summary>Writes eight bytes, little-endian.</summary>
    public void Fixed64(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(Buffer.GetSpanUnchecked(sizeof(ulong)), value);
        Buffer.AdvanceUnchecked(sizeof(ulong));
    }

    /// <summary>Writes serialized bytes: whole fields, or the content of one field.</summary>
    public void Raw(ReadOnlySpan<byte> value)
    {
        value.CopyTo(Buffer.GetSpanUnchecked(value.Length));
        Buffer.AdvanceUnchecked(value.Length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int WriteHead(Span<byte> to, int field, WireFormat.WireType type, ulong value)
    {
        var tag = WriteVarint(to, WireFormat.MakeTag(field, type));
        return tag + WriteVarint(to[tag..], value);
    }
}
