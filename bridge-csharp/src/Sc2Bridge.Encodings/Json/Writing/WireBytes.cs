using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>
/// Reads a message without an end check at each byte, so a read may continue into the <see cref="Padding"/> after the message. After each
/// field, the caller checks that the field does not run past the end. <see cref="WireReader"/>, which checks each byte, reads rare fields.
/// </summary>
internal static class WireBytes
{
    /// <summary>The number of zero bytes that must follow a message. A tag and a value without a length prefix take fewer bytes.</summary>
    public const int Padding = 32;

    // The nesting limit of Google.Protobuf.
    public const int Deepest = 100;

    /// <summary>Reads a varint. Bits past the 64th are dropped.</summary>
    /// <exception cref="EncodingException">The varint is longer than ten bytes.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Varint(ref byte source, ref int at)
    {
        ulong value = Unsafe.Add(ref source, at);
        if (value < 0x80)
        {
            at++;
            return value;
        }

        value = LongVarint(ref source, at, out var length);
        at += length;
        return value;
    }

    /// <summary>Skips the value of a field.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="tag">The field number and wire type.</param>
    /// <param name="at">The position after the tag.</param>
    /// <param name="end">The end of the message.</param>
    /// <returns>The position after the value. If it is past the end, the message is malformed.</returns>
    /// <exception cref="EncodingException">The value is malformed.</exception>
    public static int Skip(ref byte source, uint tag, int at, int end)
    {
        // 0 is not a valid field number.
        switch (tag >> 3 == 0 ? WireFormat.WireType.EndGroup : WireFormat.GetTagWireType(tag))
        {
            case WireFormat.WireType.Varint:
                Varint(ref source, ref at);
                return at;
            case WireFormat.WireType.Fixed64:
                return at + 8;
            case WireFormat.WireType.Fixed32:
                return at + 4;
            case WireFormat.WireType.LengthDelimited:
                var length = Length(ref source, ref at, end);
                return at + length;
            default:
                return SkipRare(ref source, tag, at, end);
        }
    }

    /// <summary>Reads a length and checks that at least this many bytes follow.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="at">The position of the length; on return, the position after the length.</param>
    /// <param name="end">The end of the message.</param>
    /// <param name="before">Subtracted from <paramref name="at"/> for the position in an error message.</param>
    /// <exception cref="EncodingException">The length is too large.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Length(ref byte source, ref int at, int end, int before = 0)
    {
        var start = at - before;
        var length = Varint(ref source, ref at);
        if (length > int.MaxValue || (int)length > end - at)
        {
            throw TooLong(length, end - at, start);
        }

        return (int)length;
    }

    /// <summary>Reads a tag of any length.</summary>
    /// <exception cref="EncodingException">The tag has more than 32 bits.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static uint LongTag(ref byte source, int at, out int length)
    {
        var tag = LongVarint(ref source, at, out length);
        return tag <= uint.MaxValue
            ? (uint)tag
            : throw new EncodingException("a field's tag is longer than 32 bits", at);
    }

    /// <summary>Reads a varint of any length.</summary>
    /// <exception cref="EncodingException">The varint is longer than ten bytes.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong LongVarint(ref byte source, int at, out int length)
    {
        var value = 0ul;
        for (length = 0; length < WireWriter.LongestVarint;)
        {
            var next = Unsafe.Add(ref source, at + length);
            value |= (ulong)(next & 0x7F) << (7 * length++);
            if (next < 0x80)
            {
                return value;
            }
        }

        throw new EncodingException("a varint is longer than ten bytes", at);
    }

    // Skips protobuf's groups; throws for invalid wire types.
    private static int SkipRare(ref byte source, uint tag, int at, int end)
    {
        try
        {
            return WireReader.EndOfValue(MemoryMarshal.CreateReadOnlySpan(ref source, end), tag, at, end);
        }
        catch (MalformedMessageException malformed)
        {
            throw new EncodingException(malformed.Problem, malformed.Offset);
        }
    }

    private static EncodingException TooLong(ulong length, int left, int at) =>
        new($"a length is {length} bytes, but {Math.Max(left, 0)} bytes are left", at);
}
