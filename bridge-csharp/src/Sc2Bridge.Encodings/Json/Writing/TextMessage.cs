using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>
/// What the writer needs to know of one message type: its fields by tag. Made once from the descriptor.
/// </summary>
internal sealed class TextMessage
{
    private static readonly Lock Making = new();
    private static readonly Dictionary<MessageDescriptor, TextMessage> Made = [];

    private TextMessage(MessageDescriptor descriptor)
    {
        Parser = descriptor.Parser;
        Name = descriptor.FullName;
        Fields = [];
    }

    /// <summary>The contract's name of it.</summary>
    public string Name { get; }

    /// <summary>By number and wire type; null where the contract has nothing.</summary>
    public TextField?[] Fields { get; private set; }

    /// <summary>Reads such messages the slow way.</summary>
    public MessageParser Parser { get; }

    /// <summary>The type's table.</summary>
    /// <exception cref="NotSupportedException">It has a field of a kind that neither contract has.</exception>
    public static TextMessage Of(MessageDescriptor descriptor)
    {
        lock (Making)
        {
            return Get(descriptor);
        }
    }

    private static TextMessage Get(MessageDescriptor descriptor)
    {
        if (Made.TryGetValue(descriptor, out var made))
        {
            return made;
        }

        var message = new TextMessage(descriptor);
        Made.Add(descriptor, message);
        foreach (var descriptorOf in descriptor.Fields.InFieldNumberOrder())
        {
            foreach (var field in TextField.Of(descriptorOf))
            {
                if (field.Type == FieldType.Message)
                {
                    field.Message = Get(descriptorOf.MessageType);
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
