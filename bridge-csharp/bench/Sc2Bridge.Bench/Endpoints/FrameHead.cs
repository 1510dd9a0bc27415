using System.Buffers;
using System.Buffers.Text;
using Google.Protobuf;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>Reads a frame's envelope and nothing behind it.</summary>
internal static class FrameHead
{
    // More than an envelope of a match with an ordinary name has, in either form.
    private const int LongestLength = 512;

    /// <summary>Reads the step, and when the game had answered, from the beginning of a <c>PlayResponse</c>.</summary>
    public static (ulong Step, long ObservedNs)? Read(ReadOnlySequence<byte> message, bool isText)
    {
        Span<byte> buffer = stackalloc byte[LongestLength];
        var head = buffer[..(int)Math.Min(message.Length, buffer.Length)];
        message.Slice(0, head.Length).CopyTo(head);
        return isText ? ReadText(head) : ReadBinary(head);
    }

    private static (ulong Step, long ObservedNs)? ReadBinary(ReadOnlySpan<byte> head)
    {
        var start = WireReader.ReadVarint(head, out var tag);
        if (tag != WireFormat.MakeTag(PlayResponse.FrameFieldNumber, WireFormat.WireType.LengthDelimited))
        {
            return null;
        }

        // The head ends within the observation: the fields before it are whole.
        start += WireReader.ReadVarint(head[start..], out _);
        var fields = new WireReader(head[start..]);
        var (step, observed) = (0UL, 0L);
        while (fields.TryNext() && fields.Field < Frame.ObservationFieldNumber)
        {
            step = fields.Field == Frame.StepFieldNumber ? fields.VarintValue : step;
            observed = fields.Field == Frame.ObservedNsFieldNumber ? (long)fields.VarintValue : observed;
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
}
