using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>
/// Reads pieces of a message without asking where it ends: <see cref="Padding"/> bytes that may be read stand behind
/// it, and whoever reads looks after each field whether it ran past the end. <see cref="WireReader"/>, which asks at each
/// byte, reads what is rare.
/// </summary>
internal static class WireBytes
{
    /// <summary>Zeros behind a message: more than a tag and a value without a length can take.</summary>
    public const int Padding = 32;

    // Google.Protobuf's limit of nesting.
    public const int Deepest = 100;

    /// <summary>A varint; bits past the 64th are dropped.</summary>
    /// <exception cref="EncodingException">It is longer than ten bytes.</exception>
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

    /// <summary>Passes over the value of a field.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="tag">The field's number and wire type.</param>
    /// <param name="at">Behind the tag.</param>
    /// <param name="end">Where its message ends.</param>
    /// <returns>Behind the value; where that is past the end, the message is malformed.</returns>
    /// <exception cref="EncodingException">It is malformed.</exception>
    public static int Skip(ref byte source, uint tag, int at, int end)
    {
        // A field has no number 0.
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

    /// <summary>A length that fits what is left.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="at">Before it, then behind it.</param>
    /// <param name="end">The end of its message.</param>
    /// <param name="before">An error names the place so many bytes before it.</param>
    /// <exception cref="EncodingException">It does not.</exception>
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

    /// <summary>A tag of any length.</summary>
    /// <exception cref="EncodingException">It has more than 32 bits.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static uint LongTag(ref byte source, int at, out int length)
    {
        var tag = LongVarint(ref source, at, out length);
        return tag <= uint.MaxValue
            ? (uint)tag
            : throw new EncodingException("a field's tag is longer than 32 bits", at);
    }

    /// <summary>A varint of any length.</summary>
    /// <exception cref="EncodingException">It is longer than ten bytes.</exception>
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

    // Groups, and what cannot be.
    private static int SkipRare(ref byte source, uint tag, int at, int end)
    {
        try
        {
            return WireReader.EndOfValue(MemoryMarshal.CreateReadOnlySpan(ref source, end), tag, at, end);
        }
        catch (MalformedMessageException malformed)
        {
            throw new EncodingException(malformed.What, malformed.Offset);
        }
    }

    private static EncodingException TooLong(ulong length, int left, int at) =>
        new($"a length says {length} bytes where {Math.Max(left, 0)} are left", at);
}
