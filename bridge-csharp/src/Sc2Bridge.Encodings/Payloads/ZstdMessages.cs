using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>Each content compressed alone.</summary>
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
            return Inserted(delivery, Hold(delivery.Frame!.Encoded<MessageBuffer>(_text)).Written);
        }

        var made = Hold(delivery.Frame!.Encoded<MessageBuffer>(_encoding));
        return delivery.OwnFields.IsEmpty
            ? new(default, made.WithHead)
            : Enveloped(delivery, _encoding.Content.Content, V1.Frame.ZstdFieldNumber, made.Written);
    }

    private protected override void Leave() => _encoding.Pool.Leave();
}
