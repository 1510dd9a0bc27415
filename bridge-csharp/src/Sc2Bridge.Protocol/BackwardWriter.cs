using System.Text;
using Google.Protobuf;

namespace Sc2Bridge.Protocol;

/// <summary>
/// Writes a message backwards, from its last field to its first, into the free bytes in front of an observation. So each
/// length is known when it is written, and the observation is not moved. A <see cref="WireWriter"/> appends
/// fields, so that writer would have to copy the observation.
/// </summary>
/// <param name="array">The buffer.</param>
/// <param name="end">The offset at which the written message ends.</param>
public ref struct BackwardWriter(byte[] array, int end)
{
    private readonly byte[] _array = array;

    /// <summary>The offset at which the written bytes begin.</summary>
    public int Start { get; private set; } = end;

    /// <summary>Writes a field's number and type.</summary>
    public void WriteTag(int field, WireFormat.WireType type) => WriteVarint(WireFormat.MakeTag(field, type));

    /// <summary>Writes a number or a length.</summary>
    public void WriteVarint(ulong value)
    {
        Start -= WireWriter.VarintSize(value);
        WireWriter.WriteVarint(_array.AsSpan(Start), value);
    }

    /// <summary>Writes a field with a whole number. As in proto3, zero is not written.</summary>
    public void WriteNumber(int field, ulong value)
    {
        if (value != 0)
        {
            WriteNumberEvenZero(field, value);
        }
    }

    /// <summary>Writes a field with a whole number, even zero.</summary>
    public void WriteNumberEvenZero(int field, ulong value)
    {
        WriteVarint(value);
        WriteTag(field, WireFormat.WireType.Varint);
    }

    /// <summary>Writes a field with a text. An empty text is not written.</summary>
    public void WriteText(int field, string value)
    {
        if (value.Length > 0)
        {
            var length = Encoding.UTF8.GetByteCount(value);
            Start -= length;
            Encoding.UTF8.GetBytes(value, _array.AsSpan(Start));
            WriteTagAndLength(field, length);
        }
    }

    /// <summary>Writes a field with bytes or a message.</summary>
    public void WriteBytes(int field, ReadOnlySpan<byte> value)
    {
        Start -= value.Length;
        value.CopyTo(_array.AsSpan(Start));
        WriteTagAndLength(field, value.Length);
    }

    /// <summary>Writes fields that are already serialized.</summary>
    public void WriteRaw(ReadOnlySpan<byte> fields)
    {
        Start -= fields.Length;
        fields.CopyTo(_array.AsSpan(Start));
    }

    /// <summary>Writes the tag and length in front of a field's content, which is already written.</summary>
    /// <param name="field">The field's number.</param>
    /// <param name="length">The content's length in bytes.</param>
    public void WriteTagAndLength(int field, int length)
    {
        WriteVarint((uint)length);
        WriteTag(field, WireFormat.WireType.LengthDelimited);
    }
}
