using System.Buffers;
using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// An observation without some of its parts, preceded by the frame's envelope. The bytes of the other parts are copied
/// without parsing. Fields may appear in any order and more than once, as protobuf allows.
/// </summary>
internal sealed class ExcludedPartsEncoding : IFrameEncoding<MessageBuffer>
{
    // A flag that no set contains, for parts that are always kept.
    private const PartSet NotExcludable = (PartSet)(1 << 30);

    // Spare bytes, because an observation may be longer than the previous one.
    private const int SpareBytes = 4096;

    // One instance per set, because the instance is the key of the cached encoding.
    private static readonly ExcludedPartsEncoding[] _encodings =
        [.. Enumerable.Range(0, (int)PartSet.Ui << 1).Select(parts => new ExcludedPartsEncoding((PartSet)parts))];

    private readonly PartSet _parts;
    private int _expectedLength;

    private ExcludedPartsEncoding(PartSet parts) => _parts = parts;

    /// <summary>The encoding that leaves out these parts.</summary>
    public static ExcludedPartsEncoding Of(PartSet parts) => _encodings[(int)parts];

    /// <inheritdoc/>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        var observation = frame.Observation.Span;
        var buffer = MessageBuffer.Rent(Math.Min(observation.Length, _expectedLength + SpareBytes));
        if (!TryWrite(observation, Level.Response, new WireWriter(buffer)))
        {
            // Malformed bytes are passed on unchanged: the agent that parses them gets the error.
            buffer.Clear();
            buffer.Write(observation);
        }

        // Frames of several perspectives alternate, and differ in length. So the expected length decays slowly from the longest length.
        _expectedLength = Math.Max(buffer.Length, _expectedLength - (_expectedLength / 16));
        EnvelopeWriter.Prepend(buffer, frame.Header, V1.Content.Observation, V1.Frame.ObservationFieldNumber);
        return buffer;
    }

    private enum Level
    {
        Response,
        Observation,
        Raw,
    }

    private bool IsExcluded(Level level, int field) => _parts.HasFlag((level, field) switch
    {
        (Level.Observation, SC2APIProtocol.Observation.AbilitiesFieldNumber) => PartSet.Abilities,
        (Level.Observation, SC2APIProtocol.Observation.ScoreFieldNumber) => PartSet.Score,
        (Level.Observation, SC2APIProtocol.Observation.RawDataFieldNumber) => PartSet.Raw,
        (Level.Observation, SC2APIProtocol.Observation.FeatureLayerDataFieldNumber) => PartSet.FeatureLayers,
        (Level.Observation, SC2APIProtocol.Observation.RenderDataFieldNumber) => PartSet.Render,
        (Level.Observation, SC2APIProtocol.Observation.UiDataFieldNumber) => PartSet.Ui,
        (Level.Raw, SC2APIProtocol.ObservationRaw.MapStateFieldNumber) => PartSet.MapState,
        _ => NotExcludable,
    });

    // The level inside a field; null if no part inside that field is left out.
    private Level? LevelInside(Level level, int field) => (level, field) switch
    {
        (Level.Response, SC2APIProtocol.ResponseObservation.ObservationFieldNumber) => Level.Observation,
        (Level.Observation, SC2APIProtocol.Observation.RawDataFieldNumber) when _parts.HasFlag(PartSet.MapState) => Level.Raw,
        _ => null,
    };

    // Returns false if the bytes are malformed. The output may then be partly written.
    private bool TryWrite(ReadOnlySpan<byte> message, Level level, WireWriter to)
    {
        var reader = new WireReader(message);
        var copied = 0;
        while (reader.TryNext())
        {
            if (reader.Type != WireFormat.WireType.LengthDelimited)
            {
                continue;
            }

            var isExcluded = IsExcluded(level, reader.Field);
            var inside = isExcluded ? null : LevelInside(level, reader.Field);
            if (!isExcluded && inside is null)
            {
                continue;
            }

            // Copies the bytes between two changed fields at once.
            to.Raw(message[copied..reader.Start]);
            copied = reader.End;
            if (inside is { } deeper)
            {
                var start = to.Begin(reader.Field);
                if (!TryWrite(reader.Content, deeper, to))
                {
                    return false;
                }

                to.End(start);
            }
        }

        to.Raw(message[copied..]);
        return !reader.IsMalformed;
    }
}
