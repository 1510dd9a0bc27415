using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>Removes private texts from the messages and attachments of a recording.</summary>
/// <param name="clean">Removes private texts from a text.</param>
/// <param name="isPrivate">Whether a cleaned message still contains a private text, for example in a field of bytes.</param>
internal sealed class RecordingCleaner(Func<string, string> clean, Func<ReadOnlyMemory<byte>, bool> isPrivate)
{
    /// <summary>Cleans a message.</summary>
    /// <param name="topic">The topic of the message's channel.</param>
    /// <param name="data">The serialized message.</param>
    /// <returns>The message; null if it must be left out, because it is private, damaged or of an unknown type.</returns>
    public ReadOnlyMemory<byte>? Clean(string topic, ReadOnlyMemory<byte> data)
    {
        if (RecordingFormat.MessageOf(topic) is not { } type)
        {
            return null;
        }

        try
        {
            // A whole observation is large, so it is parsed only if one of its few texts changes.
            var texts = type == ResponseObservation.Descriptor ? KeepTexts(data) : data;
            if (CleanTexts(type.Parser.ParseFrom(texts.Span)))
            {
                var message = type.Parser.ParseFrom(data.Span);
                CleanTexts(message);
                data = message.ToByteArray();
            }
        }
        catch (InvalidProtocolBufferException)
        {
            return null;
        }

        // Without the cast, null would become an empty message.
        return isPrivate(data) ? null : (ReadOnlyMemory<byte>?)data;
    }

    /// <summary>Makes the first message of a recording from the match's description.</summary>
    public byte[] Clean(MatchDescription start)
    {
        var match = start.Clone();
        match.ClockId = ""; // It identifies the machine.
        CleanTexts(match);
        return new MatchRecord { Start = match }.ToByteArray();
    }

    /// <summary>Cleans an attachment.</summary>
    /// <returns>Null for an attachment of an unknown type, which must be left out.</returns>
    public Attachment? Clean(Attachment attachment)
    {
        if (!attachment.Name.StartsWith(RecordingFormat.GameInfo, StringComparison.Ordinal))
        {
            return attachment.Name == RecordingFormat.Data ? attachment : null;
        }

        var info = ResponseGameInfo.Parser.ParseFrom(attachment.Data.Span);

        // In a path of Windows, which the game may use under Wine, only this finds the file's name.
        info.LocalMapPath = info.LocalMapPath[(info.LocalMapPath.LastIndexOfAny(['/', '\\']) + 1)..];
        CleanTexts(info);
        return attachment with { Data = info.ToByteArray() };
    }

    // Returns an observation that has only the fields with texts: the actions and the chat.
    private static ReadOnlyMemory<byte> KeepTexts(ReadOnlyMemory<byte> observation)
    {
        var bytes = observation.ToArray();
        var input = new CodedInputStream(bytes);
        using var kept = new MemoryStream();
        for (var start = 0; input.ReadTag() is > 0 and var tag; start = (int)input.Position)
        {
            input.SkipLastField();
            if (WireFormat.GetTagFieldNumber(tag) is ResponseObservation.ActionsFieldNumber or ResponseObservation.ChatFieldNumber)
            {
                kept.Write(bytes, start, (int)input.Position - start);
            }
        }

        return kept.ToArray();
    }

    // Returns whether a text changed.
    private bool CleanTexts(IMessage message)
    {
        var isChanged = false;
        foreach (var field in message.Descriptor.Fields.InFieldNumberOrder())
        {
            if (field.FieldType is not (FieldType.String or FieldType.Message))
            {
                continue;
            }

            var value = field.Accessor.GetValue(message);
            if (value is System.Collections.IList values)
            {
                for (var at = 0; at < values.Count; at++)
                {
                    var index = at;
                    isChanged |= CleanValue(values[at], text => values[index] = text);
                }
            }
            else
            {
                isChanged |= CleanValue(value, text => field.Accessor.SetValue(message, text));
            }
        }

        return isChanged;
    }

    private bool CleanValue(object? value, Action<string> replace)
    {
        if (value is IMessage message)
        {
            return CleanTexts(message);
        }

        if (value is not string { Length: > 0 } text || clean(text) is not { } cleaned || cleaned == text)
        {
            return false;
        }

        replace(cleaned);
        return true;
    }
}
