using System.Text;
using Google.Protobuf;

namespace Sc2Bridge.Protocol;

/// <summary>
/// Writes a message backwards, last field first, so that lengths are known when they are written and the payload behind
/// does not move: an envelope gets its place in the headroom before an observation. <see cref="WireWriter"/> appends, and
/// would have to copy the observation.
/// </summary>
/// <param name="array">The buffer.</param>
/// <param name="end">Where what is written ends.</param>
public ref struct BackwardWriter(byte[] array, int end)
{
    private readonly byte[] _array = array;

    /// <summary>Where what was written so far begins.</summary>
    public int Start { get; private set; } = end;

    /// <summary>A field's number and type.</summary>
    public void Tag(int field, WireFormat.WireType type) => Varint(WireFormat.MakeTag(field, type));

    /// <summary>A number, or a length.</summary>
    public void Varint(ulong value)
    {
        Start -= WireWriter.VarintSize(value);
        WireWriter.WriteVarint(_array.AsSpan(Start), value);
    }

    /// <summary>A whole number's field; a proto3 field that is zero is not written.</summary>
    public void Number(int field, ulong value)
    {
        if (value != 0)
        {
            Present(field, value);
        }
    }

    /// <summary>A whole number's field, written also if it is zero.</summary>
    public void Present(int field, ulong value)
    {
        Varint(value);
        Tag(field, WireFormat.WireType.Varint);
    }

    /// <summary>A text's field; an empty one is not written.</summary>
    public void Text(int field, string value)
    {
        if (value.Length > 0)
        {
            var length = Encoding.UTF8.GetByteCount(value);
            Start -= length;
            Encoding.UTF8.GetBytes(value, _array.AsSpan(Start));
            Head(field, length);
        }
    }

    /// <summary>A field of bytes, or a message.</summary>
    public void Bytes(int field, ReadOnlySpan<byte> value)
    {
        Start -= value.Length;
        value.CopyTo(_array.AsSpan(Start));
        Head(field, value.Length);
    }

    /// <summary>Fields that are written already.</summary>
    public void Raw(ReadOnlySpan<byte> fields)
    {
        Start -= fields.Length;
        fields.CopyTo(_array.AsSpan(Start));
    }

    /// <summary>What stands before a field's content, which is written already.</summary>
    /// <param name="field">Its number.</param>
    /// <param name="length">The content's length in bytes.</param>
    public void Head(int field, int length)
    {
        Varint((uint)length);
        Tag(field, WireFormat.WireType.LengthDelimited);
    }
}
