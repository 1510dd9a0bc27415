using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>The messages of one subscriber of group zstd. The subscriber joins a stream with the first frame that it is offered.</summary>
internal sealed class GroupMessages(PayloadKind content, SharedCompression shared)
    : FrameMessages(isDirect: !content.IsText, isCompressed: true)
{
    private readonly GroupPosition _position = new();
    private GroupStream? _stream;

    public override Action<ObservationFrame> OnOffered => OnFrameOffered;

    public override MessageSegments Encode(in Delivery delivery)
    {
        var frame = delivery.Frame!;
        var block = KeepUntilWritten(frame.Encoded(_stream!));
        var first = _position.Advance(block);
        if (first == block.Index && delivery.OwnFields.IsEmpty)
        {
            return new(default, block.Message);
        }

        var own = Own;
        var head = BlockMessage.WriteHead(own, delivery, content, block, first);
        if (content.IsText)
        {
            FrameText.Write(head.Span, block.Data.Span, own);
            return new(default, own.Written);
        }

        return new(head, block.Data);
    }

    private protected override void Leave()
    {
        if (_stream is not null)
        {
            shared.Leave(_stream);
        }
    }

    private void OnFrameOffered(ObservationFrame frame)
    {
        _stream ??= shared.Join(frame.Header, content);
        _stream.AddFrame(frame);
    }
}
