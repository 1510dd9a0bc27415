using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Bench;

/// <summary>One way to write and to read an observation.</summary>
/// <param name="Format"><c>protobuf</c>, <c>JSON</c> or <c>columns</c>.</param>
/// <param name="Library">The library.</param>
/// <param name="Write">Converts a program's data to the bytes that it sends.</param>
/// <param name="Read">Converts back. Null if only agents do this.</param>
internal sealed record Codec(string Format, string Library, Action<Subject> Write, Action<Subject>? Read)
{
    /// <summary>New instances of the measured codecs. The bridge's own keep buffers.</summary>
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
            new("columns", "ours, from the wire", subject => ColumnsWriter.Write(subject.Wire).Release(), null),
        ];

        MessageBuffer Emptied()
        {
            output.Clear();
            return output;
        }
    }
}

/// <summary>
/// One observation in every form that a codec starts from, prepared before the timing, and the codecs' output buffer.
/// </summary>
internal sealed class Subject
{
    private byte[] _buffer = [];

    /// <summary>The bytes that the game sent.</summary>
    public byte[] Wire { get; private set; } = [];

    public ResponseObservation Message { get; private set; } = new();

    public string Text { get; private set; } = "";

    public byte[] Utf8 { get; private set; } = [];

    public void Take(byte[] wire)
    {
        Wire = wire;
        Message = ResponseObservation.Parser.ParseFrom(wire);
        Text = JsonFormatter.Default.Format(Message);
        Utf8 = System.Text.Encoding.UTF8.GetBytes(Text);
    }

    /// <summary>A reused output buffer of at least this size.</summary>
    public Span<byte> Buffer(int size)
    {
        if (_buffer.Length < size)
        {
            _buffer = GC.AllocateUninitializedArray<byte>(size * 2);
        }

        return _buffer.AsSpan(0, size);
    }
}
