using System.Text.Encodings.Web;
using System.Text.Json;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Encodings.Tests.Json;

/// <summary>The messages in proto/examples.json, which the reference of the wire links to.</summary>
public class ExamplesTests
{
    private static readonly JsonSerializerOptions Unescaped = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private static readonly Dictionary<string, MessageDescriptor> Types =
        new[] { PlayRequest.Descriptor, PlayResponse.Descriptor, Job.Descriptor, JobResult.Descriptor }
            .ToDictionary(type => type.FullName);

    public static TheoryData<string, string> Examples()
    {
        using var file = JsonDocument.Parse(
            File.ReadAllBytes(Path.Combine(PeerEnvironment.RepositoryRoot, "proto", "examples.json")));
        return new(file.RootElement.EnumerateObject().SelectMany(type => type.Value.EnumerateArray().Select(
            example => (type.Name, JsonSerializer.Serialize(example, Unescaped)))));
    }

    [Theory]
    [MemberData(nameof(Examples))]
    public void An_example_is_read_and_written_back_as_the_same_text(string type, string text)
    {
        var message = Reading.Parse(Types[type], text);
        Assert.Equal(JsonParser.Default.Parse(text, Types[type]), message);
        Assert.Equal(text, Writing.Text(Types[type], message.ToByteArray()));
    }

    [Fact]
    public void Every_message_of_both_directions_has_an_example()
    {
        var shown = Examples().Select(row => Types[row.Data.Item1].Parser.ParseJson(row.Data.Item2))
            .SelectMany(message => message.Descriptor.Fields.InFieldNumberOrder()
                .Where(field => field.HasPresence && field.Accessor.HasValue(message)))
            .Select(field => field.FullName);
        var all = new[] { PlayRequest.Descriptor, PlayResponse.Descriptor }
            .SelectMany(type => type.Oneofs.SelectMany(oneof => oneof.Fields)).Select(field => field.FullName);
        Assert.Subset(shown.ToHashSet(), all.ToHashSet());
    }
}
