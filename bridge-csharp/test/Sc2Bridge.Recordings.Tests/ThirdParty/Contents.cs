using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using Sc2Bridge.Recordings.Tests.Mcap;

namespace Sc2Bridge.Recordings.Tests.ThirdParty;

/// <summary>The expected content of a file, in the form that the scripts in this folder print.</summary>
internal sealed class Contents
{
    private readonly JsonObject _messages = [];

    public JsonObject Json { get; } = [];

    /// <summary>The number of messages that can be parsed.</summary>
    public int Parsed { get; set; }

    public static Contents Of(FileModel model)
    {
        var contents = new Contents();
        contents.Add(model.Header, model.Channels, model.Schemas, model.Attachments, model.Metadata);
        foreach (var message in model.Messages)
        {
            contents.Add(message);
        }

        return contents;
    }

    public void Add(
        Header header, IEnumerable<Channel> channels, IReadOnlyList<Schema> schemas,
        IEnumerable<Attachment> attachments, IEnumerable<Metadata> metadata)
    {
        Json["header"] = new JsonArray(header.Profile, header.Library);
        Json["channels"] = new JsonObject(channels.Select(channel => KeyValuePair.Create(
            channel.Topic,
            (JsonNode?)new JsonArray(
                channel.SchemaId == 0 ? "" : schemas[channel.SchemaId - 1].Name, channel.MessageEncoding,
                Texts(channel.Metadata)))));
        Json["attachments"] = new JsonArray([.. attachments.Select(attachment => new JsonArray(
            attachment.Name, attachment.MediaType, Number(attachment.LogTime), Number(attachment.CreateTime),
            attachment.Data.Length, Spec.Crc(attachment.Data.Span)))]);
        Json["metadata"] = new JsonArray([.. metadata.Select(one => new JsonArray(one.Name, Texts(one.Texts)))]);
        Json["messages"] = _messages;
    }

    public void Add(Written message)
    {
        if (!_messages.ContainsKey(message.Topic))
        {
            _messages[message.Topic] = new JsonArray();
        }

        _messages[message.Topic]!.AsArray().Add((JsonNode)new JsonArray(
            message.Sequence, Number(message.LogTime), Number(message.PublishTime), message.Length, message.Crc));
    }

    /// <summary>Expects exactly this content, read with the index and as a stream.</summary>
    /// <param name="found">A script's output.</param>
    public void IsFoundAs(JsonElement found)
    {
        Json["parsed"] = Parsed;
        foreach (var way in new[] { "indexed", "streamed" })
        {
            var actual = JsonNode.Parse(found.GetProperty(way).GetRawText())!.AsObject();
            foreach (var (name, expected) in Json.Where(one => one.Value is not JsonObject))
            {
                Assert.Equal($"{name}: {expected?.ToJsonString()}", $"{name}: {actual[name]?.ToJsonString()}");
            }

            foreach (var (name, expected) in Json.Where(one => one.Value is JsonObject))
            {
                var (wanted, there) = (expected!.AsObject(), actual[name]!.AsObject());
                Assert.Equal(wanted.Select(one => one.Key).Order(), there.Select(one => one.Key).Order());
                Assert.All(wanted, one => Assert.Equal(one.Value!.ToJsonString(), there[one.Key]!.ToJsonString()));
            }
        }
    }

    private static string Number(ulong number) => number.ToString(CultureInfo.InvariantCulture);

    private static JsonObject Texts(IReadOnlyDictionary<string, string> texts) =>
        new(texts.Select(text => KeyValuePair.Create(text.Key, (JsonNode?)text.Value)));
}
