using System.Diagnostics;
using System.Text;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>Times the stock codecs on a frame's observation. For one thread.</summary>
internal sealed class CodecProbe(CodecLog mode)
{
    /// <summary>The slow stock JSON is timed on one step in so many, unless everything is asked for.</summary>
    public const int Sampled = 16;

    private const string BetweenEnvelopeAndObservation = ", \"observation\": ";
    private byte[] _serialized = [];

    /// <summary>
    /// The row of a frame; what cannot be measured, also because the bytes are no message, stays empty.
    /// </summary>
    /// <param name="frame">The frame.</param>
    /// <param name="measure">False where there is no time to measure.</param>
    public StepRow Row(Frame frame, bool measure)
    {
        var header = frame.Header;
        var row = new StepRow
        {
            Step = header.Step,
            GameLoop = header.GameLoop,
            GameUs = (header.ArrivedNs - header.AskedNs) / 1000.0,
            ProtoBytes = frame.Observation.Length,
            Subscribers = frame.Subscribers,
            Dropped = frame.Dropped,
        };
        if (!measure || mode == CodecLog.Off)
        {
            return row;
        }

        try
        {
            var started = Stopwatch.GetTimestamp();
            var observation = ResponseObservation.Parser.ParseFrom(frame.Observation.Span);
            row = row with { ProtoParseUs = Us(started) };
            row = row with { ProtoSerializeUs = Serialize(observation) };
            return mode == CodecLog.Full || header.Step % Sampled == 0 ? Json(row, observation, header) : row;
        }
        catch (Exception problem) when (problem is InvalidProtocolBufferException or InvalidJsonException
            or InvalidOperationException or FormatException or OverflowException or ArgumentException)
        {
            return row;
        }
    }

    private static double Us(long started) => Stopwatch.GetElapsedTime(started).TotalMicroseconds;

    private static StepRow Json(StepRow row, ResponseObservation observation, FrameHeader header)
    {
        var started = Stopwatch.GetTimestamp();
        var text = JsonFormatter.Default.Format(observation);
        row = row with
        {
            JsonFormatterUs = Us(started),
            JsonBytes = Encoding.UTF8.GetByteCount(text),
        };
        row = row with { JsonEventBytes = row.JsonBytes + EnvelopeBytes(header) };
        started = Stopwatch.GetTimestamp();
        JsonParser.Default.Parse<ResponseObservation>(text);
        return row with { JsonParserUs = Us(started) };
    }

    private static int EnvelopeBytes(FrameHeader header)
    {
        var envelope = new V1.Event
        {
            Frame = new V1.Frame
            {
                Match = header.Match,
                Perspective = header.Perspective,
                Step = header.Step,
                GameLoop = header.GameLoop,
                AskedNs = header.AskedNs,
                ArrivedNs = header.ArrivedNs,
            },
        };
        return Encoding.UTF8.GetByteCount(JsonFormatter.Default.Format(envelope))
            + BetweenEnvelopeAndObservation.Length;
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
