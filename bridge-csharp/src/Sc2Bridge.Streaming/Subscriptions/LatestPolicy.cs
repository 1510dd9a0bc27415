namespace Sc2Bridge.Streaming;

/// <summary>The newest frame only; the game does not wait for it.</summary>
/// <param name="queue">The subscription's.</param>
/// <param name="silence">Whether an agent that plays is still there; null for one that only watches.</param>
internal sealed class LatestPolicy(DeliveryQueue queue, IdleTimeout? silence) : DeliveryPolicy
{
    public override RequestRefusedException? Overdue() => silence?.Offer() == true
        ? new RequestRefusedException(StatusCode.DeadlineExceeded, silence.Reason)
        : null;

    public override int Offer(
        ObservationFrame frame, bool isAwaited, PublishBarrier barrier, out RequestRefusedException? drop)
    {
        drop = null;
        return queue.Replace(frame);
    }

    public override void Take() => silence?.FrameTaken();

    public override void MessageReceived() => silence?.MessageReceived();

    public override BarrierHold Acknowledge(ulong step)
    {
        silence?.Acknowledged();
        return default;
    }
}
