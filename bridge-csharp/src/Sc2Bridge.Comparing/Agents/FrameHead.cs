using System.Buffers.Text;
using Google.Protobuf;
using Sc2Bridge.V1;

namespace Sc2Bridge.Comparing.Agents;

/// <summary>Reads a frame's envelope and nothing behind it.</summary>
internal static class FrameHead
{
    /// <summary>More than an envelope of a match with an ordinary name has, in either form.</summary>
    public const int LongestLength = 512;

    /// <summary>Reads the step and the arrival from the beginning of an <c>Event</c>.</summary>
    /// <returns>False where the event is no frame.</returns>
    public static bool TryRead(ReadOnlySpan<byte> head, out ulong step, out long arrivedNs)
    {
        (step, arrivedNs) = (0, 0);
        var at = 0;
        if (Varint(head, ref at) != WireFormat.MakeTag(Event.FrameFieldNumber, WireFormat.WireType.LengthDelimited))
        {
            return false;
        }

        Varint(head, ref at);
        while (at < head.Length)
        {
            var tag = (uint)Varint(head, ref at);
            var value = Varint(head, ref at);
            switch (WireFormat.GetTagFieldNumber(tag))
            {
                case >= Frame.ObservationFieldNumber:
                    return true;
                case Frame.StepFieldNumber:
                    step = value;
                    break;
                case Frame.ObservedNsFieldNumber:
                    arrivedNs = (long)value;
                    break;
                default:
                    if (WireFormat.GetTagWireType(tag) == WireFormat.WireType.LengthDelimited)
                    {
                        at = value < (ulong)(head.Length - at) ? at + (int)value : head.Length;
                    }

                    break;
            }
        }

        return true;
    }

    /// <summary>The same of an event's JSON text; numbers of 64 bits are text there.</summary>
    public static bool TryReadText(ReadOnlySpan<byte> head, out ulong step, out long arrivedNs)
    {
        step = 0;
        arrivedNs = 0;
        if (Number(head, "\"observedNs\":\""u8) is not { } arrived)
        {
            return false;
        }

        arrivedNs = arrived;
        step = (ulong)(Number(head, "\"step\":\""u8) ?? 0);
        return true;
    }

    private static long? Number(ReadOnlySpan<byte> head, ReadOnlySpan<byte> name)
    {
        var at = head.IndexOf(name);
        return at >= 0 && Utf8Parser.TryParse(head[(at + name.Length)..], out long value, out _) ? value : null;
    }

    private static ulong Varint(ReadOnlySpan<byte> bytes, ref int at)
    {
        ulong value = 0;
        for (var shift = 0; at < bytes.Length && shift < 64; shift += 7)
        {
            var part = bytes[at++];
            value |= (ulong)(part & 0x7F) << shift;
            if (part < 0x80)
            {
                break;
            }
        }

        return value;
    }
}
