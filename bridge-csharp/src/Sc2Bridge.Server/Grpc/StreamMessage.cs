using System.Buffers;
using Google.Protobuf;
using Grpc.Core;
using Sc2Bridge.Encodings.Payloads;

namespace Sc2Bridge.Server;

/// <summary>
/// What a stream sends next: an event, or the bytes of one that are serialized already and only copied. A stream has one
/// of these and fills it anew for each message, so that none is allocated for a frame.
/// </summary>
internal sealed class StreamMessage
{
    private IMessage? _event;
    private MessageSegments _bytes;

    /// <summary>Sends an event.</summary>
    public StreamMessage Of(IMessage message)
    {
        _event = message;
        return this;
    }

    /// <summary>Sends bytes, which are read until the write returns its task.</summary>
    public StreamMessage Of(in MessageSegments bytes)
    {
        _event = null;
        _bytes = bytes;
        return this;
    }

    public static void Serialize(StreamMessage message, SerializationContext context)
    {
        if (message._event is { } serialized)
        {
            Serialize(serialized, context);
            return;
        }

        context.SetPayloadLength(message._bytes.Length);
        var writer = context.GetBufferWriter();
        writer.Write(message._bytes.Head.Span);
        writer.Write(message._bytes.Body.Span);
        context.Complete();
    }

    public static void Serialize<T>(T message, SerializationContext context)
        where T : class, IMessage
    {
        context.SetPayloadLength(message.CalculateSize());
        message.WriteTo(context.GetBufferWriter());
        context.Complete();
    }
}
