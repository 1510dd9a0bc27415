using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>
/// One message type, prepared for the JSON writer: the fields by tag. The instance of each descriptor is cached.
/// </summary>
internal sealed class TextMessage
{
    private static readonly Lock CacheLock = new();
    private static readonly Dictionary<MessageDescriptor, TextMessage> Cache = [];

    private TextMessage(MessageDescriptor descriptor)
    {
        Parser = descriptor.Parser;
        Name = descriptor.FullName;
        Fields = [];
    }

    /// <summary>The full name in the proto file.</summary>
    public string Name { get; }

    /// <summary>The fields by tag (number and wire type); null for unknown tags.</summary>
    public TextField?[] Fields { get; private set; }

    /// <summary>Google.Protobuf's parser, for messages with fields out of order.</summary>
    public MessageParser Parser { get; }

    /// <summary>The instance for a message type.</summary>
    /// <exception cref="NotSupportedException">A field has an unsupported type.</exception>
    public static TextMessage Of(MessageDescriptor descriptor)
    {
        lock (CacheLock)
        {
            return Get(descriptor);
        }
    }

    private static TextMessage Get(MessageDescriptor descriptor)
    {
        if (Cache.TryGetValue(descriptor, out var cached))
        {
            return cached;
        }

        var message = new TextMessage(descriptor);
        Cache.Add(descriptor, message);
        foreach (var fieldDescriptor in descriptor.Fields.InFieldNumberOrder())
        {
            foreach (var field in TextField.Of(fieldDescriptor))
            {
                if (field.Type == FieldType.Message)
                {
                    field.Message = Get(fieldDescriptor.MessageType);
                }

                if (message.Fields.Length <= field.Tag)
                {
                    var larger = message.Fields;
                    Array.Resize(ref larger, (int)field.Tag + 1);
                    message.Fields = larger;
                }

                message.Fields[field.Tag] = field;
            }
        }

        return message;
    }
}
