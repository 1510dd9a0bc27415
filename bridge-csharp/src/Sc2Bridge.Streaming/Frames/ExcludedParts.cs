using System.Buffers;
using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// An observation without some of its parts, with the event's envelope before it. The other bytes are copied, nothing
/// is parsed; fields may stand in any order and more than once, as protobuf allows.
/// </summary>
internal sealed class ExcludedParts : IFrameEncoding<MessageBuffer>
{
    // A bit of no set.
    private const PartSet Never = (PartSet)(1 << 30);

    // Room for what an observation has more than the one before it.
    private const int Growth = 4096;

    // One for each set, as it is the key of what it makes.
    private static readonly ExcludedParts[] _known =
        [.. Enumerable.Range(0, (int)PartSet.Ui << 1).Select(parts => new ExcludedParts((PartSet)parts))];

    private readonly PartSet _parts;
    private int _expected;

    private ExcludedParts(PartSet parts) => _parts = parts;

    /// <summary>The encoding that leaves these parts out.</summary>
    public static ExcludedParts Of(PartSet parts) => _known[(int)parts];

    /// <inheritdoc/>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        var observation = frame.Observation.Span;
        var buffer = MessageBuffer.Rent(Math.Min(observation.Length, _expected + Growth));
        if (!TryWrite(observation, Level.Response, new WireWriter(buffer)))
        {
            // Malformed bytes are passed on as they are: the agent that parses them gets the error.
            buffer.Clear();
            buffer.Write(observation);
        }

        // Frames of several perspectives take turns: the longest counts for a while.
        _expected = Math.Max(buffer.Length, _expected - (_expected / 16));
        FrameEnvelope.Prepend(buffer, frame.Header, V1.Content.Observation, V1.Frame.ObservationFieldNumber);
        return buffer;
    }

    private enum Level
    {
        Response,
        Observation,
        Raw,
    }

    private bool IsLeftOut(Level level, int field) => _parts.HasFlag((level, field) switch
    {
        (Level.Observation, SC2APIProtocol.Observation.AbilitiesFieldNumber) => PartSet.Abilities,
        (Level.Observation, SC2APIProtocol.Observation.ScoreFieldNumber) => PartSet.Score,
        (Level.Observation, SC2APIProtocol.Observation.RawDataFieldNumber) => PartSet.Raw,
        (Level.Observation, SC2APIProtocol.Observation.FeatureLayerDataFieldNumber) => PartSet.FeatureLayers,
        (Level.Observation, SC2APIProtocol.Observation.RenderDataFieldNumber) => PartSet.Render,
        (Level.Observation, SC2APIProtocol.Observation.UiDataFieldNumber) => PartSet.Ui,
        (Level.Raw, SC2APIProtocol.ObservationRaw.MapStateFieldNumber) => PartSet.MapState,
        _ => Never,
    });

    // The level inside a field that something may be left out of.
    private Level? Inside(Level level, int field) => (level, field) switch
    {
        (Level.Response, SC2APIProtocol.ResponseObservation.ObservationFieldNumber) => Level.Observation,
        (Level.Observation, SC2APIProtocol.Observation.RawDataFieldNumber) when _parts.HasFlag(PartSet.MapState) => Level.Raw,
        _ => null,
    };

    // False if the bytes are malformed; some of them may be written then.
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

            var isLeftOut = IsLeftOut(level, reader.Field);
            var inside = isLeftOut ? null : Inside(level, reader.Field);
            if (!isLeftOut && inside is null)
            {
                continue;
            }

            // The bytes between two changed fields are copied in one go.
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
