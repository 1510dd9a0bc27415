using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>One subscriber of group zstd: joins the stream with the first frame that it is offered.</summary>
internal sealed class GroupMessages(PayloadKind content, MessageForm message, SharedCompression shared)
    : FrameMessages(message, isDirect: !content.IsText, isCompressed: true), IOfferedFrames
{
    private readonly GroupPosition _position = new();
    private GroupStream? _stream;

    public override IOfferedFrames Offered => this;

    void IOfferedFrames.Offered(ObservationFrame frame, PartSet leftOut)
    {
        _stream ??= shared.Join(frame, leftOut, content);
        _stream.Place(frame);
    }

    void IOfferedFrames.Expected()
    {
        // Nothing has to be made ready.
    }

    [System.Runtime.CompilerServices.AsyncMethodBuilder(
        typeof(System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<ReadOnlyMemory<byte>> OfAsync(ObservationFrame frame)
    {
        var block = await _stream!.BlockOfAsync(frame.Shared);
        var first = _position.Advance(block);
        if (first == block.Index && frame.Own.IsEmpty)
        {
            return block.Message;
        }

        if (!content.IsText)
        {
            return OwnMessage(frame, block, first);
        }

        var text = OwnText();
        FrameText.Write(text, frame.Header, frame.Own.Span, block, first);
        return text.Written;
    }

    private protected override void Leave()
    {
        if (_stream is not null)
        {
            shared.Leave(_stream);
        }
    }
}
