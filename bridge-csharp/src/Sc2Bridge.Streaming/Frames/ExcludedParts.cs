using System.Buffers;
using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// An observation without some of its parts, with the event's envelope before it. The other bytes are copied, nothing
/// is parsed; fields may stand in any order and more than once, as protobuf allows.
/// </summary>
/// <param name="Parts">What is left out.</param>
internal sealed record ExcludedParts(PartSet Parts) : IFrameEncoding<MessageBuffer>
{
    private static readonly ExcludedParts?[] _known = new ExcludedParts?[(int)PartSet.Ui << 1];

    /// <summary>The cached encoding that leaves these parts out.</summary>
    public static ExcludedParts Of(PartSet parts) => _known[(int)parts] ??= new ExcludedParts(parts);

    /// <inheritdoc/>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        var observation = frame.Observation.Span;

        // Malformed bytes are passed on as they are: the agent that parses them gets the error.
        var readable = Measure(observation, Parts, Level.Response, out var length);
        var buffer = MessageBuffer.Rent(readable ? length : observation.Length);
        if (readable)
        {
            Write(observation, Parts, Level.Response, buffer);
        }
        else
        {
            buffer.Write(observation);
        }

        FrameEnvelope.Prepend(buffer, frame.Header, V1.Content.Observation, V1.Frame.ObservationFieldNumber);
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
        var reader = new WireReader(message);
        while (reader.TryNext())
        {
            if (reader.Type != WireFormat.WireType.LengthDelimited)
            {
                length += reader.Whole.Length;
            }
            else if (IsLeftOut(level, reader.Field, leaveOut))
            {
                continue;
            }
            else if (Inside(level, reader.Field, leaveOut) is not { } inside)
            {
                length += reader.Whole.Length;
            }
            else
            {
                if (!Measure(reader.Content, leaveOut, inside, out var inner))
                {
                    return false;
                }

                // A field that loses nothing keeps its bytes, even an overlong length.
                length += inner == reader.Content.Length
                    ? reader.Whole.Length
                    : WireWriter.HeadSize(reader.Field, inner) + inner;
            }
        }

        return !reader.IsMalformed;
    }

    private static void Write(ReadOnlySpan<byte> message, PartSet leaveOut, Level level, MessageBuffer buffer)
    {
        var reader = new WireReader(message);
        var copyFrom = 0;
        while (reader.TryNext())
        {
            if (reader.Type != WireFormat.WireType.LengthDelimited)
            {
                continue;
            }

            var leftOut = IsLeftOut(level, reader.Field, leaveOut);
            var inside = leftOut ? null : Inside(level, reader.Field, leaveOut);
            if (!leftOut && inside is null)
            {
                continue;
            }

            var inner = 0;
            if (inside is { } at)
            {
                Measure(reader.Content, leaveOut, at, out inner);
                if (inner == reader.Content.Length)
                {
                    continue;
                }
            }

            // What stands between two changed fields is copied in one go.
            buffer.Write(message[copyFrom..reader.Start]);
            copyFrom = reader.End;
            if (inside is { } deeper)
            {
                new WireWriter(buffer).Head(reader.Field, inner);
                Write(reader.Content, leaveOut, deeper, buffer);
            }
        }

        buffer.Write(message[copyFrom..]);
    }
}
