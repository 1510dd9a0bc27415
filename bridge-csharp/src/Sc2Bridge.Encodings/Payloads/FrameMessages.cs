using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// Makes the messages of one subscriber: each frame it takes, with the content, compression and transport that it asked
/// for. What can be shared with others is; for one thread at a time.
/// </summary>
public abstract class FrameMessages : IDisposable
{
    // Null once it is disposed.
    private MessageBuffer? _own = MessageBuffer.Rent();

    private protected FrameMessages(MessageForm message, bool isDirect, bool isCompressed)
    {
        Message = message;
        IsDirect = isDirect;
        IsCompressed = isCompressed;
    }

    /// <summary>
    /// Whether a message is made so quickly, or once for so many, that it may be made on the publisher's thread.
    /// </summary>
    public bool IsDirect { get; }

    /// <summary>Whether a transport would gain nothing from compressing it again.</summary>
    public bool IsCompressed { get; }

    /// <summary>Whether the messages are the frames' own, with the observation as it is.</summary>
    public virtual bool IsObservation => false;

    /// <summary>To be told of each frame that the subscriber is offered; null where there is no need.</summary>
    public virtual IOfferedFrames? Offered => null;

    private protected MessageForm Message { get; }

    private MessageBuffer Own => _own ?? throw new ObjectDisposedException(nameof(FrameMessages));

    /// <summary>What a subscriber asked for; what the hub does not know it refuses.</summary>
    public static FrameMessages For(V1.SubscribeRequest request, MessageForm message, SharedCompression shared)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(shared);
        var content = PayloadKind.For(request.Content, message == MessageForm.Json);
        return request.Compression switch
        {
            Compression.Zstd => new ZstdMessages(content, message, shared.Pool),
            Compression.GroupZstd => new GroupMessages(content, message, shared),
            _ when request.Content is Content.Unspecified or Content.Observation => new ObservationMessages(message),
            _ => new PlainMessages(content, message),
        };
    }

    /// <summary>The message of a frame that the subscriber took.</summary>
    /// <param name="frame">Held by the caller for as long as the message is used.</param>
    /// <returns>Valid until the next call, while the frame is held.</returns>
    /// <exception cref="EncodingException">The observation cannot be read.</exception>
    public abstract ValueTask<ReadOnlyMemory<byte>> OfAsync(ObservationFrame frame);

    /// <summary>
    /// The subscriber takes no more frames: its match has ended, or its subscription was disposed. May be called again.
    /// </summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _own, null) is { } own)
        {
            own.Release();
            Leave();
        }

        GC.SuppressFinalize(this);
    }

    /// <summary>Gives back what the subscriber shared with others; called once.</summary>
    private protected virtual void Leave()
    {
    }

    /// <summary>A payload for this subscriber alone, in protobuf.</summary>
    private protected ReadOnlyMemory<byte> OwnMessage(ObservationFrame frame, int field, ReadOnlySpan<byte> payload) =>
        FrameMessage.Write(Own, frame, field, payload);

    /// <summary>A block with those that this subscriber lacks before it, in protobuf.</summary>
    private protected ReadOnlyMemory<byte> OwnMessage(ObservationFrame frame, GroupBlock block, int first) =>
        FrameMessage.Write(Own, frame, block, first);

    /// <summary>The buffer for a text of this subscriber alone.</summary>
    private protected MessageBuffer OwnText()
    {
        Own.Clear();
        return Own;
    }
}

/// <summary>The observation as it is: one message for everybody.</summary>
internal sealed class ObservationMessages(MessageForm message)
    : FrameMessages(message, isDirect: message != MessageForm.Json, isCompressed: false)
{
    public override bool IsObservation => true;

    public override ValueTask<ReadOnlyMemory<byte>> OfAsync(ObservationFrame frame) => Message switch
    {
        MessageForm.Proto => new(frame.EventMessage),
        _ when frame.Own.IsEmpty => new(frame.Encoded(JsonEncoding.Instance)),
        _ => new(OwnTextOf(frame)),
    };

    private ReadOnlyMemory<byte> OwnTextOf(ObservationFrame frame)
    {
        var text = OwnText();
        FrameText.Insert(
            text, frame.Own.Span, frame.Shared.Encoded(JsonEncoding.Instance).Span, "\"observation\":"u8);
        return text.Written;
    }
}

/// <summary>Another content as it is.</summary>
internal sealed class PlainMessages(PayloadKind content, MessageForm message)
    : FrameMessages(message, isDirect: message != MessageForm.Json, isCompressed: false)
{
    private readonly PlainEncoding _encoding = new(content);

    public override ValueTask<ReadOnlyMemory<byte>> OfAsync(ObservationFrame frame)
    {
        if (frame.Own.IsEmpty)
        {
            return new(frame.Encoded(_encoding));
        }

        var payload = content.BytesOf(frame.Shared).Span;
        if (!content.IsText)
        {
            return new(OwnMessage(frame, content.Field, payload));
        }

        var text = OwnText();
        FrameText.Write(text, frame.Header, frame.Own.Span, content.JsonName, payload);
        return new(text.Written);
    }
}

/// <summary>Each content compressed alone.</summary>
internal sealed class ZstdMessages : FrameMessages
{
    private readonly PayloadKind _content;
    private readonly ZstdPool _pool;
    private readonly ZstdEncoding _encoding;

    public ZstdMessages(PayloadKind content, MessageForm message, ZstdPool pool)
        : base(message, isDirect: false, isCompressed: true)
    {
        _content = content;
        _pool = pool;
        _encoding = new ZstdEncoding(content, pool);
        pool.Join();
    }

    public override ValueTask<ReadOnlyMemory<byte>> OfAsync(ObservationFrame frame)
    {
        using var lap = EncodingClock.Run(frame);
        var zstd = frame.Shared.Encoded(_encoding).Span;
        if (!_content.IsText)
        {
            return new(OwnMessage(frame, V1.Frame.ZstdFieldNumber, zstd));
        }

        var text = OwnText();
        FrameText.Write(text, frame.Header, frame.Own.Span, zstd);
        return new(text.Written);
    }

    private protected override void Leave() => _pool.Leave();
}
