using System.Buffers;
using System.Buffers.Text;
using Google.Protobuf;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>Reads a frame's envelope and nothing behind it.</summary>
internal static class FrameHead
{
    // More than an envelope of a match with an ordinary name has, in either form.
    private const int LongestLength = 512;

    /// <summary>Reads the step, and when the game had answered, from the beginning of an <c>PlayResponse</c>.</summary>
    public static (ulong Step, long ObservedNs)? Read(ReadOnlySequence<byte> message, bool isText)
    {
        Span<byte> buffer = stackalloc byte[LongestLength];
        var head = buffer[..(int)Math.Min(message.Length, buffer.Length)];
        message.Slice(0, head.Length).CopyTo(head);
        return isText ? ReadText(head) : ReadBinary(head);
    }

    private static (ulong Step, long ObservedNs)? ReadBinary(ReadOnlySpan<byte> head)
    {
        var at = 0;
        if (Varint(head, ref at) != WireFormat.MakeTag(PlayResponse.FrameFieldNumber, WireFormat.WireType.LengthDelimited))
        {
            return null;
        }

        Varint(head, ref at);
        var (step, observed) = (0UL, 0L);
        while (at < head.Length)
        {
            var tag = (uint)Varint(head, ref at);
            var value = Varint(head, ref at);
            switch (WireFormat.GetTagFieldNumber(tag))
            {
                case >= Frame.ObservationFieldNumber:
                    return (step, observed);
                case Frame.StepFieldNumber:
                    step = value;
                    break;
                case Frame.ObservedNsFieldNumber:
                    observed = (long)value;
                    break;
                default:
                    at += WireFormat.GetTagWireType(tag) == WireFormat.WireType.LengthDelimited
                        ? (int)Math.Min(value, (ulong)(head.Length - at))
                        : 0;
                    break;
            }
        }

        return (step, observed);
    }

    // Numbers of 64 bits are text in JSON.
    private static (ulong Step, long ObservedNs)? ReadText(ReadOnlySpan<byte> head) =>
        Number(head, "\"observedNs\":\""u8) is { } observed
            ? ((ulong)(Number(head, "\"step\":\""u8) ?? 0), observed)
            : null;

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
