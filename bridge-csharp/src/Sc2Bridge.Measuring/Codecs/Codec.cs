using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Measuring.Codecs;

/// <summary>One way to write and to read an observation.</summary>
/// <param name="Format"><c>protobuf</c> or <c>JSON</c>.</param>
/// <param name="Library">Whose code does it.</param>
/// <param name="Write">From what a program holds to what it sends.</param>
/// <param name="Read">Back.</param>
public sealed record Codec(string Format, string Library, Action<Subject> Write, Action<Subject> Read)
{
    /// <summary>The codecs that are measured, new: ours keep buffers.</summary>
    public static IReadOnlyList<Codec> All()
    {
        var transcoder = new WireToJson(ResponseObservation.Descriptor);
        var output = MessageBuffer.Rent();
        return
        [
            new(
                "protobuf",
                "Google.Protobuf",
                subject => subject.Message.WriteTo(subject.Buffer(subject.Message.CalculateSize())),
                subject => ResponseObservation.Parser.ParseFrom(subject.Wire)),
            new(
                "JSON",
                "JsonFormatter, JsonParser",
                subject => JsonFormatter.Default.Format(subject.Message),
                subject => JsonParser.Default.Parse<ResponseObservation>(subject.Text)),
            new(
                "JSON",
                "ours, wire to JSON to wire",
                subject => transcoder.Write(subject.Wire, Emptied()),
                subject => JsonReader.Read(subject.Utf8, ResponseObservation.Descriptor, Emptied())),
        ];

        MessageBuffer Emptied()
        {
            output.Clear();
            return output;
        }
    }
}
