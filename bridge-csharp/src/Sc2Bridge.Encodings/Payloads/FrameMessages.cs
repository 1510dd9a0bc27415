using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Encodings.SharedMemory;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// A message to write: a head for one subscriber, and a body that is shared with other subscribers and not copied.
/// </summary>
/// <param name="Head">The subscriber's own bytes; empty if the whole message is shared.</param>
/// <param name="Body">The shared bytes.</param>
public readonly record struct MessageSegments(ReadOnlyMemory<byte> Head, ReadOnlyMemory<byte> Body)
{
    /// <summary>The size of both parts in bytes.</summary>
    public int Length => Head.Length + Body.Length;

    /// <summary>A copy of both parts in one array.</summary>
    public byte[] ToArray() => [.. Head.Span, .. Body.Span];
}

/// <summary>
/// Makes one subscriber's messages from its frames, in the content, compression and form of the subscription. Bytes are shared with other
/// subscribers if possible. Only one thread at a time may use an instance.
/// </summary>
public abstract class FrameMessages : IDisposable
{
    // Null after Dispose.
    private MessageBuffer? _own = MessageBuffer.Rent();
    private ILeased? _shared;

    private protected FrameMessages(bool isDirect, bool isCompressed) => (IsDirect, IsCompressed) = (isDirect, isCompressed);

    /// <summary>
    /// Whether the thread that publishes a frame may make the message, because making it is fast, or because many subscribers share it.
    /// </summary>
    public bool IsDirect { get; }

    /// <summary>Whether the payload is compressed, so that the transport should not compress it again.</summary>
    public bool IsCompressed { get; }

    /// <summary>Called with each frame that the subscriber is offered (see <see cref="SubscriberInfo"/>); null if not needed.</summary>
    public virtual Action<ObservationFrame>? OnOffered => null;

    /// <summary>The emptied buffer for this subscriber's own bytes.</summary>
    private protected MessageBuffer Own
    {
        get
        {
            ObjectDisposedException.ThrowIf(_own is null, this);
            _own.Clear();
            return _own;
        }
    }

    /// <summary>Creates the instance for a subscription.</summary>
    /// <param name="request">The subscription request.</param>
    /// <param name="form">The transport's message form.</param>
    /// <param name="shared">The resources that subscribers with compression share.</param>
    /// <param name="memory">The memory shared with this subscriber; null without shared memory.</param>
    /// <exception cref="RequestRefusedException">INVALID_ARGUMENT: an unknown part, or compression in shared memory.</exception>
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
                StatusCode.InvalidArgument, "Frames in shared memory cannot be compressed: subscribe without a compression."),
            Compression.Zstd => new ZstdMessages(new ZstdEncoding(content, shared.Pool), isText),
            Compression.GroupZstd => new GroupMessages(content, shared),
            _ when memory is not null => new SharedMessages(new SharedEncoding(memory.Segment, content), memory),
            _ when isText => new TextMessages(new TextEncoding(exclude, content.Content == Content.Columns, IsEvent: true)),
            _ when content.Content == Content.Columns => new ColumnsMessages(new ColumnsEncoding(exclude)),
            _ => new ObservationMessages(exclude),
        };
    }

    /// <summary>Makes the message of a frame.</summary>
    /// <param name="delivery">The frame. The caller holds a reference while it uses the message.</param>
    /// <returns>The message, which is valid until <see cref="OnWritten"/> or the next call.</returns>
    /// <exception cref="EncodingException">The observation cannot be read.</exception>
    public abstract MessageSegments Encode(in Delivery delivery);

    /// <summary>Releases the shared bytes of the last message, after it was written or discarded.</summary>
    public void OnWritten() => Interlocked.Exchange(ref _shared, null)?.Release();

    /// <summary>
    /// Releases everything, after the subscriber's match has ended or its subscription was disposed. Further calls do nothing.
    /// </summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _own, null) is { } own)
        {
            own.Release();
            OnWritten();
            Leave();
        }

        GC.SuppressFinalize(this);
    }

    /// <summary>Releases resources that the subscriber shared with other subscribers. Called once.</summary>
    private protected virtual void Leave()
    {
    }

    /// <summary>Keeps the reference to the shared bytes of the next message until <see cref="OnWritten"/>.</summary>
    private protected T KeepUntilWritten<T>(T shared)
        where T : class, ILeased
    {
        OnWritten();
        _shared = shared;
        return shared;
    }

    /// <summary>An envelope in protobuf with the subscriber's own fields, before a shared payload.</summary>
    private protected MessageSegments WriteEnvelope(
        in Delivery delivery, Content content, int field, ReadOnlyMemory<byte> payload)
    {
        var own = Own;
        own.GetSpan(delivery.OwnFields.Length);
        var end = MessageBuffer.Headroom + delivery.OwnFields.Length;
        var start = EnvelopeWriter.WriteBefore(
            own.Array, end, payload.Length, delivery.Frame!.Header, delivery.OwnFields.Span, content, field);
        return new MessageSegments(own.Array.AsMemory(start..end), payload);
    }

    /// <summary>A shared text with the subscriber's own fields inserted.</summary>
    private protected MessageSegments InsertOwnFields(in Delivery delivery, ReadOnlyMemory<byte> text)
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

/// <summary>The observation, unchanged or without excluded parts, in protobuf.</summary>
internal sealed class ObservationMessages(PartSet exclude) : FrameMessages(isDirect: true, isCompressed: false)
{
    public override MessageSegments Encode(in Delivery delivery)
    {
        var isShared = delivery.OwnFields.IsEmpty;
        var bytes = isShared ? delivery.Frame!.EventMessageWithout(exclude) : delivery.Frame!.ObservationWithout(exclude);
        if (bytes.Buffer is { } held)
        {
            KeepUntilWritten(held);
        }

        return isShared
            ? new(default, bytes.Memory)
            : WriteEnvelope(delivery, Content.Observation, V1.Frame.ObservationFieldNumber, bytes.Memory);
    }
}

/// <summary>Columns, in protobuf.</summary>
internal sealed class ColumnsMessages(ColumnsEncoding encoding)
    : FrameMessages(isDirect: true, isCompressed: false)
{
    public override MessageSegments Encode(in Delivery delivery)
    {
        var made = KeepUntilWritten(delivery.Frame!.Encoded<MessageBuffer>(encoding));
        return delivery.OwnFields.IsEmpty
            ? new(default, made.WithHead)
            : WriteEnvelope(delivery, Content.Columns, V1.Frame.ColumnsFieldNumber, made.Written);
    }
}

/// <summary>The whole event in JSON, made by the encoding.</summary>
internal sealed class TextMessages(IFrameEncoding<MessageBuffer> encoding)
    : FrameMessages(isDirect: false, isCompressed: false)
{
    public override MessageSegments Encode(in Delivery delivery) =>
        InsertOwnFields(delivery, KeepUntilWritten(delivery.Frame!.Encoded<MessageBuffer>(encoding)).Written);
}
