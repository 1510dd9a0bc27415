using System.Diagnostics;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Times the stock codecs on a frame's observation, and the bridge's own. A codec that fails leaves its cells empty.
/// </summary>
/// <param name="own">The bridge's own codecs.</param>
/// <param name="stockJson">Whether the slow stock JSON is timed too.</param>
/// <param name="path">Told of codecs that fail.</param>
internal sealed class CodecProbe(IReadOnlyList<IFrameProbe> own, bool stockJson, SidePath path)
{
    private byte[] _serialized = [];

    /// <summary>Fills in figures of encodings that were made for subscribers; from any thread.</summary>
    public StepRow Read(ObservationFrame frame, StepRow row) => row with { Codecs = Own(frame, row.Codecs, measure: false) };

    /// <summary>Encodes a frame without timing it, as the next frame's encodings are made of the difference.</summary>
    public void Prepare(ObservationFrame frame) => Own(frame, default, measure: true);

    /// <summary>Measures a frame; for one thread at a time.</summary>
    public StepRow Measure(ObservationFrame frame, StepRow row)
    {
        row = row with { Codecs = Own(frame, row.Codecs, measure: true) };
        try
        {
            var started = Stopwatch.GetTimestamp();
            var observation = ResponseObservation.Parser.ParseFrom(frame.Observation.Span);
            row = row with { ProtoParseUs = Us(started) };
            row = row with { ProtoSerializeUs = Serialize(observation) };
            return stockJson ? StockJson(row, observation) : row;
        }
        catch (Exception problem) when (problem is InvalidProtocolBufferException or InvalidJsonException
            or InvalidOperationException or FormatException or OverflowException or ArgumentException)
        {
            // The bytes are no observation.
            return row;
        }
#pragma warning disable CA1031 // A defect in a codec is no reason to end a match, or its log.
        catch (Exception defect)
#pragma warning restore CA1031
        {
            path.Lose(defect);
            return row;
        }
    }

    private static double Us(long started) => Stopwatch.GetElapsedTime(started).TotalMicroseconds;

    private static StepRow StockJson(StepRow row, ResponseObservation observation)
    {
        var started = Stopwatch.GetTimestamp();
        var text = JsonFormatter.Default.Format(observation);
        row = row with { JsonFormatterUs = Us(started) };
        started = Stopwatch.GetTimestamp();
        JsonParser.Default.Parse<ResponseObservation>(text);
        return row with { JsonParserUs = Us(started) };
    }

    private CodecFigures Own(ObservationFrame frame, CodecFigures figures, bool measure)
    {
        foreach (var probe in own)
        {
            try
            {
                if (measure)
                {
                    probe.Measure(frame, ref figures);
                }
                else
                {
                    probe.Read(frame, ref figures);
                }
            }
#pragma warning disable CA1031 // As above: the other codecs go on.
            catch (Exception defect)
#pragma warning restore CA1031
            {
                path.Lose(defect);
            }
        }

        return figures;
    }

    private double Serialize(ResponseObservation observation)
    {
        var started = Stopwatch.GetTimestamp();
        var size = observation.CalculateSize();
        if (_serialized.Length < size)
        {
            _serialized = new byte[size * 2];
        }

        observation.WriteTo(_serialized.AsSpan(0, size));
        return Us(started);
    }
}
