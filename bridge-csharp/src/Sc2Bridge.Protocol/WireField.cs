using System.Buffers;
using Google.Protobuf;

namespace Sc2Bridge.Protocol;

/// <summary>Writes fields of a serialized message around content that is serialized already.</summary>
public static class WireField
{
    /// <summary>A field that is a message, a text or bytes.</summary>
    /// <param name="to">Takes it.</param>
    /// <param name="field">Its number.</param>
    /// <param name="content">What is in it.</param>
    public static void WriteBytes(IBufferWriter<byte> to, int field, ReadOnlySpan<byte> content)
    {
        WriteVarint(to, WireFormat.MakeTag(field, WireFormat.WireType.LengthDelimited));
        WriteVarint(to, (uint)content.Length);
        to.Write(content);
    }

    /// <summary>A field that is a whole number.</summary>
    /// <param name="to">Takes it.</param>
    /// <param name="field">Its number.</param>
    /// <param name="number">What is in it.</param>
    public static void WriteNumber(IBufferWriter<byte> to, int field, ulong number)
    {
        WriteVarint(to, WireFormat.MakeTag(field, WireFormat.WireType.Varint));
        WriteVarint(to, number);
    }

    private static void WriteVarint(IBufferWriter<byte> to, ulong value)
    {
        ArgumentNullException.ThrowIfNull(to);
        var bytes = to.GetSpan(10);
        var length = 0;
        for (; value >= 0x80; value >>= 7)
        {
            bytes[length++] = (byte)(value | 0x80);
        }

        bytes[length++] = (byte)value;
        to.Advance(length);
    }
}
