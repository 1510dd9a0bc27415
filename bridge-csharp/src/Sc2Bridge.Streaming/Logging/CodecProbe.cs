using System.Diagnostics;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>Times the stock codecs on a frame's observation, and the bridge's own. For one thread.</summary>
internal sealed class CodecProbe(CodecLog mode, IReadOnlyList<IFrameProbe> own)
{
    /// <summary>The slow stock JSON is timed on one step in so many, unless everything is asked for.</summary>
    public const int Sampled = 16;

    private byte[] _serialized = [];

    /// <summary>
    /// The row of a frame; what cannot be measured, also because the bytes are no message, stays empty.
    /// </summary>
    /// <param name="frame">The frame.</param>
    /// <param name="measure">False where there is no time to measure.</param>
    public StepRow Row(ObservationFrame frame, bool measure)
    {
        var header = frame.Header;
        var row = new StepRow
        {
            Step = header.Step,
            GameLoop = header.GameLoop,
            GameUs = (header.ObservedNs - header.RequestedNs) / 1000.0,
            ProtoBytes = frame.Observation.Length,
            Subscribers = frame.Subscribers,
            Dropped = frame.Dropped,
            Perspective = header.Perspective,
        };
        if (!measure || mode == CodecLog.Off)
        {
            return row;
        }

        var figures = new CodecFigures();
        foreach (var probe in own)
        {
            probe.Measure(frame, ref figures);
        }

        row = row with { Codecs = figures };
        try
        {
            var started = Stopwatch.GetTimestamp();
            var observation = ResponseObservation.Parser.ParseFrom(frame.Observation.Span);
            row = row with { ProtoParseUs = Us(started) };
            row = row with { ProtoSerializeUs = Serialize(observation) };
            return mode == CodecLog.Full || header.Step % Sampled == 0 ? StockJson(row, observation) : row;
        }
        catch (Exception problem) when (problem is InvalidProtocolBufferException or InvalidJsonException
            or InvalidOperationException or FormatException or OverflowException or ArgumentException)
        {
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
