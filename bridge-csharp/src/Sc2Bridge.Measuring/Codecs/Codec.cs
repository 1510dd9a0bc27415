using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Measuring.Codecs;

/// <summary>One way to write and to read an observation.</summary>
/// <param name="Format"><c>protobuf</c> or <c>JSON</c>.</param>
/// <param name="Library">Whose code does it.</param>
/// <param name="Write">From what a program holds to what it sends.</param>
/// <param name="Read">Back.</param>
public sealed record Codec(string Format, string Library, Action<Subject> Write, Action<Subject> Read)
{
    /// <summary>The codecs that are measured.</summary>
    public static IReadOnlyList<Codec> All { get; } =
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
    ];
}
