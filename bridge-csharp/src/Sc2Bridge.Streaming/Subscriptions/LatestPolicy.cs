namespace Sc2Bridge.Streaming;

/// <summary>The newest frame only; the game does not wait for it.</summary>
/// <param name="queue">The subscription's.</param>
/// <param name="idle">Whether an agent that plays is still there; null for one that only watches.</param>
internal sealed class LatestPolicy(DeliveryQueue queue, IdleTimeout? idle) : DeliveryPolicy
{
    public override RequestRefusedException? Overdue() => idle?.Offer() == true
        ? new RequestRefusedException(StatusCode.DeadlineExceeded, idle.Reason)
        : null;

    public override int Offer(
        ObservationFrame frame, bool isAwaited, PublishBarrier barrier, out RequestRefusedException? drop)
    {
        drop = null;
        return queue.Replace(frame);
    }

    public override void Take() => idle?.FrameTaken();

    public override void MessageReceived() => idle?.MessageReceived();

    public override BarrierHold Acknowledge(ulong step)
    {
        idle?.Acknowledged();
        return default;
    }
}
