using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>The messages of one subscriber whose frames are compressed with zstd, each frame alone.</summary>
internal sealed class ZstdMessages : FrameMessages
{
    private readonly ZstdEncoding _encoding;
    private readonly ZstdTextEncoding? _text;

    public ZstdMessages(ZstdEncoding encoding, bool isText)
        : base(isDirect: false, isCompressed: true)
    {
        _encoding = encoding;
        _text = isText ? new ZstdTextEncoding(encoding) : null;
        encoding.Pool.Join();
    }

    public override MessageSegments Encode(in Delivery delivery)
    {
        if (_text is not null)
        {
            return InsertOwnFields(delivery, KeepUntilWritten(delivery.Frame!.Encoded<MessageBuffer>(_text)).Written);
        }

        var made = KeepUntilWritten(delivery.Frame!.Encoded<MessageBuffer>(_encoding));
        return delivery.OwnFields.IsEmpty
            ? new(default, made.WithHead)
            : WriteEnvelope(delivery, _encoding.Content.Content, V1.Frame.ZstdFieldNumber, made.Written);
    }

    private protected override void Leave() => _encoding.Pool.Leave();
}
