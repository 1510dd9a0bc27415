using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Leaves parts of an observation out by copying the rest of its bytes: nothing is parsed, and fields may stand in any
/// order and more than once, as protobuf allows.
/// </summary>
internal static class PartSelection
{
    private const int LongestHead = 15;

    /// <summary>Makes the smaller observation.</summary>
    /// <returns>
    /// Null where nothing would be left out, and where the bytes are no message (they go on as they came: who parses
    /// them will say what is wrong).
    /// </returns>
    public static MessageBuffer? Apply(ReadOnlySpan<byte> observation, PartSet leaveOut)
    {
        if (!Measure(observation, leaveOut, Level.Response, out var length) || length == observation.Length)
        {
            return null;
        }

        var buffer = MessageBuffer.Rent(length);
        Write(observation, leaveOut, Level.Response, buffer);
        return buffer;
    }

    private enum Level
    {
        Response,
        Observation,
        Raw,
    }

    private static bool IsLeftOut(Level level, int field, PartSet leaveOut) => (level, field) switch
    {
        (Level.Observation, SC2APIProtocol.Observation.AbilitiesFieldNumber) => leaveOut.HasFlag(PartSet.Abilities),
        (Level.Observation, SC2APIProtocol.Observation.ScoreFieldNumber) => leaveOut.HasFlag(PartSet.Score),
        (Level.Observation, SC2APIProtocol.Observation.RawDataFieldNumber) => leaveOut.HasFlag(PartSet.Raw),
        (Level.Observation, SC2APIProtocol.Observation.FeatureLayerDataFieldNumber) =>
            leaveOut.HasFlag(PartSet.FeatureLayers),
        (Level.Observation, SC2APIProtocol.Observation.RenderDataFieldNumber) => leaveOut.HasFlag(PartSet.Render),
        (Level.Observation, SC2APIProtocol.Observation.UiDataFieldNumber) => leaveOut.HasFlag(PartSet.Ui),
        (Level.Raw, SC2APIProtocol.ObservationRaw.MapStateFieldNumber) => leaveOut.HasFlag(PartSet.MapState),
        _ => false,
    };

    /// <summary>The level inside a field, where something may be left out of it.</summary>
    private static Level? Inside(Level level, int field, PartSet leaveOut) => (level, field) switch
    {
        (Level.Response, SC2APIProtocol.ResponseObservation.ObservationFieldNumber) => Level.Observation,
        (Level.Observation, SC2APIProtocol.Observation.RawDataFieldNumber) when leaveOut.HasFlag(PartSet.MapState) =>
            Level.Raw,
        _ => null,
    };

    private static bool Measure(ReadOnlySpan<byte> message, PartSet leaveOut, Level level, out int length)
    {
        length = 0;
        var walker = new WireWalker(message);
        while (walker.Next())
        {
            if (walker.Type != WireFormat.WireType.LengthDelimited)
            {
                length += walker.Whole.Length;
            }
            else if (IsLeftOut(level, walker.Field, leaveOut))
            {
                continue;
            }
            else if (Inside(level, walker.Field, leaveOut) is not { } inside)
            {
                length += walker.Whole.Length;
            }
            else
            {
                if (!Measure(walker.Content, leaveOut, inside, out var inner))
                {
                    return false;
                }

                // A field that loses nothing keeps its bytes, even a length written longer than need be.
                length += inner == walker.Content.Length
                    ? walker.Whole.Length
                    : HeadSize(walker.Field, inner) + inner;
            }
        }

        return !walker.IsMalformed;
    }

    private static void Write(ReadOnlySpan<byte> message, PartSet leaveOut, Level level, MessageBuffer buffer)
    {
        var walker = new WireWalker(message);
        var copyFrom = 0;
        while (walker.Next())
        {
            if (walker.Type != WireFormat.WireType.LengthDelimited)
            {
                continue;
            }

            var leftOut = IsLeftOut(level, walker.Field, leaveOut);
            var inside = leftOut ? null : Inside(level, walker.Field, leaveOut);
            if (!leftOut && inside is null)
            {
                continue;
            }

            var inner = 0;
            if (inside is { } at)
            {
                Measure(walker.Content, leaveOut, at, out inner);
                if (inner == walker.Content.Length)
                {
                    continue;
                }
            }

            // What stands between two changed fields is copied in one go.
            Copy(message[copyFrom..walker.Start], buffer);
            copyFrom = walker.End;
            if (inside is { } deeper)
            {
                WriteHead(walker.Field, inner, buffer);
                Write(walker.Content, leaveOut, deeper, buffer);
            }
        }

        Copy(message[copyFrom..], buffer);
    }

    private static int HeadSize(int field, int length) =>
        CodedOutputStream.ComputeUInt32Size(WireFormat.MakeTag(field, WireFormat.WireType.LengthDelimited))
        + CodedOutputStream.ComputeLengthSize(length);

    private static void WriteHead(int field, int length, MessageBuffer buffer)
    {
        var head = buffer.GetSpan(LongestHead);
        var at = WriteVarint(head, 0, WireFormat.MakeTag(field, WireFormat.WireType.LengthDelimited));
        buffer.Advance(WriteVarint(head, at, (uint)length));
    }

    private static int WriteVarint(Span<byte> to, int at, ulong value)
    {
        while (value >= 0x80)
        {
            to[at++] = (byte)(value | 0x80);
            value >>= 7;
        }

        to[at++] = (byte)value;
        return at;
    }

    private static void Copy(ReadOnlySpan<byte> bytes, MessageBuffer buffer)
    {
        bytes.CopyTo(buffer.GetSpan(bytes.Length));
        buffer.Advance(bytes.Length);
    }
}
