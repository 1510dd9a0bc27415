namespace Sc2Bridge.Streaming;

/// <summary>What somebody keeps with a frame, to find again and to be told when nobody holds the frame any more.</summary>
/// <param name="owner">By whom it is found.</param>
public abstract class FrameAttachment(object owner)
{
    /// <summary>By whom it is found.</summary>
    public object Owner { get; } = owner;

    internal FrameAttachment? Next { get; set; }

    /// <summary>Nobody holds the frame any more; called once, on any thread.</summary>
    protected internal abstract void OnFrameReleased();
}

/// <summary>
/// Hears of each frame that a subscription is offered, in the order of publication and before its reader can have it:
/// on the publisher's thread, so that <see cref="Offered"/> must return at once.
/// </summary>
public interface IOfferedFrames
{
    /// <summary>A frame is about to be published, in a millisecond or a few: a time to make ready for it.</summary>
    void Expected();

    /// <summary>A frame is offered.</summary>
    /// <param name="frame">Without what was left out.</param>
    /// <param name="leftOut">What was.</param>
    void Offered(ObservationFrame frame, PartSet leftOut);
}
