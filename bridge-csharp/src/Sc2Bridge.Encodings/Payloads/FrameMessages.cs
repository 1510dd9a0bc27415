using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Encodings.SharedMemory;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// A message as it is to be written: one subscriber's own head, and a body shared with other subscribers, whose bytes
/// are not copied.
/// </summary>
/// <param name="Head">The subscriber's own; empty where the whole message is shared.</param>
/// <param name="Body">Shared.</param>
public readonly record struct MessageSegments(ReadOnlyMemory<byte> Head, ReadOnlyMemory<byte> Body)
{
    /// <summary>Bytes of both.</summary>
    public int Length => Head.Length + Body.Length;

    /// <summary>Both, copied: for what takes one stretch of memory only.</summary>
    public byte[] ToArray() => [.. Head.Span, .. Body.Span];
}

/// <summary>
/// Makes the messages of one subscriber: each frame that it takes, in the content, compression and message form that it
/// asked for. Bytes are shared with other subscribers where possible. For one thread at a time.
/// </summary>
public abstract class FrameMessages : IDisposable
{
    // Null once it is disposed.
    private MessageBuffer? _own = MessageBuffer.Rent();
    private ILeased? _held;

    private protected FrameMessages(bool isDirect, bool isCompressed) => (IsDirect, IsCompressed) = (isDirect, isCompressed);

    /// <summary>
    /// Whether a message is made so quickly, or once for so many, that it may be made on the publisher's thread.
    /// </summary>
    public bool IsDirect { get; }

    /// <summary>Whether a transport would gain nothing from compressing it again.</summary>
    public bool IsCompressed { get; }

    /// <summary>See <see cref="SubscriberInfo"/>; null where there is no need.</summary>
    public virtual Action<ObservationFrame>? OnOffered => null;

    /// <summary>The buffer for this subscriber's own bytes, emptied.</summary>
    private protected MessageBuffer Own
    {
        get
        {
            ObjectDisposedException.ThrowIf(_own is null, this);
            _own.Clear();
            return _own;
        }
    }

    /// <summary>The messages that a subscriber asked for.</summary>
    /// <param name="request">What it asked for.</param>
    /// <param name="form">How its transport carries a frame.</param>
    /// <param name="shared">What compressing subscribers share.</param>
    /// <param name="memory">The memory that it shares with the bridge; null: none.</param>
    /// <exception cref="RequestRefusedException">INVALID_ARGUMENT: a part that there is not, compression in shared memory.</exception>
    public static FrameMessages For(
        V1.SubscribeRequest request, MessageForm form, SharedCompression shared, SharedWindow? memory = null)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(shared);
        var isText = form == MessageForm.Json;
        var exclude = SubscriptionRequest.Excluded(request);
        var content = PayloadKind.For(request.Content, isText, exclude);
        return request.Compression switch
        {
            Compression.Zstd or Compression.GroupZstd when memory is not null => throw new RequestRefusedException(
                StatusCode.InvalidArgument, "Frames in shared memory are not sent: subscribe without a compression."),
            Compression.Zstd => new ZstdMessages(new ZstdEncoding(content, shared.Pool), isText),
            Compression.GroupZstd => new GroupMessages(content, shared),
            _ when memory is not null => new SharedMessages(new SharedEncoding(memory.Segment, content), memory),
            _ when isText => new TextMessages(new TextEncoding(exclude, content.Content == Content.Columns, IsEvent: true)),
            _ when content.Content == Content.Columns => new ColumnsMessages(new ColumnsEncoding(exclude)),
            _ => new ObservationMessages(exclude),
        };
    }

    /// <summary>The message of a frame that the subscriber took.</summary>
    /// <param name="delivery">A frame, held by the caller for as long as the message is used.</param>
    /// <returns>Valid until <see cref="Written"/> or the next call, while the frame is held.</returns>
    /// <exception cref="EncodingException">The observation cannot be read.</exception>
    public abstract MessageSegments Encode(in Delivery delivery);

    /// <summary>The last message was written, or will not be: what it shared is held no longer.</summary>
    public void Written() => Interlocked.Exchange(ref _held, null)?.Release();

    /// <summary>
    /// The subscriber takes no more frames: its match has ended, or its subscription was disposed. May be called again.
    /// </summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _own, null) is { } own)
        {
            own.Release();
            Written();
            Leave();
        }

        GC.SuppressFinalize(this);
    }

    /// <summary>Gives back what the subscriber shared with others; called once.</summary>
    private protected virtual void Leave()
    {
    }

    /// <summary>Keeps what the next message shares for as long as that is used.</summary>
    private protected T Hold<T>(T shared)
        where T : class, ILeased
    {
        Written();
        _held = shared;
        return shared;
    }

    /// <summary>An envelope with the subscriber's own fields, in protobuf, before a shared payload.</summary>
    private protected MessageSegments Enveloped(
        in Delivery delivery, Content content, int field, ReadOnlyMemory<byte> payload)
    {
        var own = Own;
        own.GetSpan(delivery.OwnFields.Length);
        var end = MessageBuffer.Headroom + delivery.OwnFields.Length;
        var start = FrameEnvelope.WriteBefore(
            own.Array, end, payload.Length, delivery.Frame!.Header, delivery.OwnFields.Span, content, field);
        return new MessageSegments(own.Array.AsMemory(start..end), payload);
    }

    /// <summary>A shared text, with the subscriber's own fields put into it.</summary>
    private protected MessageSegments Inserted(in Delivery delivery, ReadOnlyMemory<byte> text)
    {
        if (delivery.OwnFields.IsEmpty)
        {
            return new MessageSegments(default, text);
        }

        var own = Own;
        var at = FrameText.Insert(own, delivery.OwnFields.Span, text.Span);
        return new MessageSegments(own.Written, text[at..]);
    }
}

/// <summary>The observation as the game sent it, in protobuf.</summary>
internal sealed class ObservationMessages(PartSet exclude) : FrameMessages(isDirect: true, isCompressed: false)
{
    public override MessageSegments Encode(in Delivery delivery)
    {
        var isShared = delivery.OwnFields.IsEmpty;
        var bytes = isShared ? delivery.Frame!.EventMessageWithout(exclude) : delivery.Frame!.ObservationWithout(exclude);
        if (bytes.Held is { } held)
        {
            Hold(held);
        }

        return isShared
            ? new(default, bytes.Memory)
            : Enveloped(delivery, Content.Observation, V1.Frame.ObservationFieldNumber, bytes.Memory);
    }
}

/// <summary>Columns, in protobuf.</summary>
internal sealed class ColumnsMessages(ColumnsEncoding encoding)
    : FrameMessages(isDirect: true, isCompressed: false)
{
    public override MessageSegments Encode(in Delivery delivery)
    {
        var made = Hold(delivery.Frame!.Encoded<MessageBuffer>(encoding));
        return delivery.OwnFields.IsEmpty
            ? new(default, made.WithHead)
            : Enveloped(delivery, Content.Columns, V1.Frame.ColumnsFieldNumber, made.Written);
    }
}

/// <summary>An encoding that is the whole text of the event.</summary>
internal sealed class TextMessages(IFrameEncoding<MessageBuffer> encoding)
    : FrameMessages(isDirect: false, isCompressed: false)
{
    public override MessageSegments Encode(in Delivery delivery) =>
        Inserted(delivery, Hold(delivery.Frame!.Encoded<MessageBuffer>(encoding)).Written);
}
