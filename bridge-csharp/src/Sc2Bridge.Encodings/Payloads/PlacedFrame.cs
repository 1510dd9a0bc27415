using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>A frame's place in a stream of groups: first it waits, then it has its block. Used again and again.</summary>
internal sealed class PlacedFrame : FrameAttachment
{
    private readonly GroupStream _stream;
    private GroupBlock? _block;

    public PlacedFrame(GroupStream stream)
        : base(stream)
    {
        _stream = stream;
        Node = new LinkedListNode<PlacedFrame>(this);
    }

    /// <summary>Its place among those that wait.</summary>
    public LinkedListNode<PlacedFrame> Node { get; }

    /// <summary>The frame, not held.</summary>
    public ObservationFrame? Frame { get; set; }

    /// <summary>Held for the frame; null until it is compressed.</summary>
    public GroupBlock? Block
    {
        get => Volatile.Read(ref _block);
        set => Volatile.Write(ref _block, value);
    }

    /// <summary>Why the frame has no block.</summary>
    public Exception? Failure { get; set; }

    /// <inheritdoc/>
    protected override void OnFrameReleased() => _stream.Released(this);
}
