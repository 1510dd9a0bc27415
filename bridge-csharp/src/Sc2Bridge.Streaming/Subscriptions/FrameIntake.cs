namespace Sc2Bridge.Streaming;

/// <summary>Takes published frames into a subscriber's queue, under its policy.</summary>
internal sealed class FrameIntake(SubscriberCore core, SubscriberInfo info)
{
    // Until the next frame is offered: it may be the same one, whose publication was under way.
    private ObservationFrame? _kept;

    /// <summary>
    /// Queues a published frame, if it is for this subscriber, and counts subscribers and dropped frames in it; the
    /// bridge's own subscribers come last, and read the counts. A defect on the way ends this subscriber only.
    /// </summary>
    /// <param name="frame">The frame.</param>
    /// <param name="barrier">Where to hold its publication back.</param>
    public void Offer(ObservationFrame frame, PublishBarrier barrier)
    {
        using var _ = core.Enter();
        if (!Wants(frame))
        {
            return;
        }

        var isKept = ReferenceEquals(_kept, frame);
        _kept = null;
        if (isKept)
        {
            return;
        }

        frame.Subscribers += info.Internal ? 0 : 1;
        try
        {
            frame.Dropped += Take(frame, barrier);
        }
#pragma warning disable CA1031 // Whatever it is: the others get the frame.
        catch (Exception defect)
#pragma warning restore CA1031
        {
            frame.Dropped++;
            core.Queue.CountDropped();
            core.Fail(defect);
        }
    }

    /// <summary>
    /// Queues a frame that was published before it came, unless it has been offered one.
    /// </summary>
    /// <param name="frame">Of its perspective.</param>
    public void OfferKept(ObservationFrame frame)
    {
        using var _ = core.Enter();
        if (!Wants(frame) || core.Steps.Offered is not null)
        {
            return;
        }

        _kept = frame;
        try
        {
            Offered(frame, isJump: false);
            core.Queue.Replace(frame);
        }
#pragma warning disable CA1031 // As above.
        catch (Exception defect)
#pragma warning restore CA1031
        {
            core.Fail(defect);
        }
    }

    /// <summary>
    /// A publication has waited for some time: releases the hold on it once this policy's deadline passed.
    /// </summary>
    /// <returns>True if a hold was released and the subscriber is not dropped for it.</returns>
    public bool Expire(PublishBarrier barrier, TimeSpan passed)
    {
        using var _ = core.Enter();
        if (!core.Policy.Expire(barrier, passed, out var drop))
        {
            return false;
        }

        core.Drop(drop);
        return drop is null;
    }

    private bool Wants(ObservationFrame frame) =>
        core.Phase == SubscriberPhase.Bound && frame.Header.MatchId == core.Match!.MatchId
        && (info.EveryPerspective || frame.Header.Perspective == core.Perspective);

    private int Take(ObservationFrame frame, PublishBarrier barrier)
    {
        if (core.Policy.Overdue() is { } overdue)
        {
            core.Drop(overdue);
            core.Queue.CountDropped();
            return 1;
        }

        var lost = 0;
        if (frame.Jump is { } jump && !info.Internal && core.Steps.Offered is not null)
        {
            // Frames from before the jump are of no use to an agent. The log and the recorder want all of them.
            lost = core.Queue.DropFrames();
            core.Queue.Notify(new V1.PlayResponse { Playback = jump });
        }

        Offered(frame, isJump: frame.Jump is not null);
        lost += core.Policy.Offer(frame, core.Reader.IsAwaited, barrier, out var drop);
        core.Drop(drop);
        return lost;
    }

    private void Offered(ObservationFrame frame, bool isJump)
    {
        core.Steps.Offer(frame.Header.Step, isJump);
        info.OnOffered?.Invoke(frame);
    }
}
