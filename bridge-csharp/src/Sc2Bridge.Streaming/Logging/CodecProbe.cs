using System.Diagnostics;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>Measures the stock codecs and the bridge's own codecs on a frame's observation. If a codec fails, its cells stay empty.</summary>
/// <param name="ownCodecs">The bridge's own codecs.</param>
/// <param name="stockJson">Whether to measure the stock JSON library too, which is slow.</param>
/// <param name="path">Counts codec failures.</param>
internal sealed class CodecProbe(IReadOnlyList<IFrameProbe> ownCodecs, bool stockJson, SidePath path)
{
    private byte[] _serialized = [];

    /// <summary>Adds the figures of encodings that were made for subscribers. Thread-safe.</summary>
    public StepRow Read(ObservationFrame frame, StepRow row) => row with { Codecs = ReadOrMeasureOwn(frame, row.Codecs, measure: false) };

    /// <summary>Encodes a frame without timing it. Some encodings of the next frame depend on this encoding.</summary>
    public void Prepare(ObservationFrame frame) => ReadOrMeasureOwn(frame, default, measure: true);

    /// <summary>Measures a frame. Call it on one thread at a time.</summary>
    public StepRow Measure(ObservationFrame frame, StepRow row)
    {
        row = row with { Codecs = ReadOrMeasureOwn(frame, row.Codecs, measure: true) };
        try
        {
            var started = Stopwatch.GetTimestamp();
            var observation = ResponseObservation.Parser.ParseFrom(frame.Observation.Span);
            row = row with { ProtoParseUs = ElapsedUs(started) };
            row = row with { ProtoSerializeUs = MeasureSerialization(observation) };
            return stockJson ? MeasureStockJson(row, observation) : row;
        }
        catch (Exception problem) when (problem is InvalidProtocolBufferException or InvalidJsonException
            or InvalidOperationException or FormatException or OverflowException or ArgumentException)
        {
            // The bytes are not an observation.
            return row;
        }
#pragma warning disable CA1031 // A defect in a codec is no reason to end a match, or its log.
        catch (Exception defect)
#pragma warning restore CA1031
        {
            path.ReportLoss(defect);
            return row;
        }
    }

    private static double ElapsedUs(long started) => Stopwatch.GetElapsedTime(started).TotalMicroseconds;

    private static StepRow MeasureStockJson(StepRow row, ResponseObservation observation)
    {
        var started = Stopwatch.GetTimestamp();
        var text = JsonFormatter.Default.Format(observation);
        row = row with { JsonFormatterUs = ElapsedUs(started) };
        started = Stopwatch.GetTimestamp();
        JsonParser.Default.Parse<ResponseObservation>(text);
        return row with { JsonParserUs = ElapsedUs(started) };
    }

    private CodecFigures ReadOrMeasureOwn(ObservationFrame frame, CodecFigures figures, bool measure)
    {
        foreach (var probe in ownCodecs)
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
#pragma warning disable CA1031 // The other codecs continue.
            catch (Exception defect)
#pragma warning restore CA1031
            {
                path.ReportLoss(defect);
            }
        }

        return figures;
    }

    private double MeasureSerialization(ResponseObservation observation)
    {
        var started = Stopwatch.GetTimestamp();
        var size = observation.CalculateSize();
        if (_serialized.Length < size)
        {
            _serialized = new byte[size * 2];
        }

        observation.WriteTo(_serialized.AsSpan(0, size));
        return ElapsedUs(started);
    }
}
