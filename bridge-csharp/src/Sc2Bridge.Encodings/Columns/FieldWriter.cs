using System.Numerics;
using Google.Protobuf;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>Writes fields one behind the other into room that was measured before.</summary>
internal ref struct FieldWriter(Span<byte> to)
{
    private readonly Span<byte> _to = to;
    private int _at;

    /// <summary>Bytes of a field with a number.</summary>
    public static int NumberSize(int field, uint value) => Size((uint)field << 3) + Size(value);

    /// <summary>Bytes of a field with bytes or a message.</summary>
    public static int BytesSize(int field, int length) =>
        checked(Size((uint)field << 3) + Size((uint)length) + length);

    /// <summary>Writes a field with a number.</summary>
    public void Number(int field, uint value)
    {
        Varint(WireFormat.MakeTag(field, WireFormat.WireType.Varint));
        Varint(value);
    }

    /// <summary>Writes a field with bytes.</summary>
    public void Bytes(int field, ReadOnlySpan<byte> value)
    {
        Head(field, value.Length);
        Raw(value);
    }

    /// <summary>Writes the tag and the length of a field whose content follows.</summary>
    public void Head(int field, int length)
    {
        Varint(WireFormat.MakeTag(field, WireFormat.WireType.LengthDelimited));
        Varint((uint)length);
    }

    /// <summary>Writes bytes as they are.</summary>
    public void Raw(ReadOnlySpan<byte> value)
    {
        value.CopyTo(_to[_at..]);
        _at += value.Length;
    }

    private static int Size(uint value) => (31 - BitOperations.LeadingZeroCount(value | 1)) / 7 + 1;

    private void Varint(uint value)
    {
        for (; value >= 0x80; value >>= 7)
        {
            _to[_at++] = (byte)(value | 0x80);
        }

        _to[_at++] = (byte)value;
    }
}
