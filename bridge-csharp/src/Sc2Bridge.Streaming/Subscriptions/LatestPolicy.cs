namespace Sc2Bridge.Streaming;

/// <summary>
/// Queues only the newest frame, and the game does not wait for the agent. An agent that plays and is silent for too long is
/// dropped.
/// </summary>
/// <remarks>
/// After its first acknowledgement, an agent must continue to send messages. Before this acknowledgement, taking frames also counts as
/// a sign of life. A long gap between two frames adds little to the silent time: at most a tenth of the timeout.
/// </remarks>
/// <param name="queue">The subscription's queue.</param>
/// <param name="plays">Whether the agent plays.</param>
/// <param name="options">Contains the timeout.</param>
internal sealed class LatestPolicy(DeliveryQueue queue, bool plays, HubOptions options) : DeliveryPolicy
{
    private readonly TimeSpan _longestGap = options.AgentTimeout / 10;
    private bool _hasAcknowledged;
    private long? _lastOfferTimestamp;
    private TimeSpan _silentTime;

    public override RequestRefusedException? CheckOverdue()
    {
        if (!plays)
        {
            return null;
        }

        var now = options.TimeProvider.GetTimestamp();
        if (_lastOfferTimestamp is { } before)
        {
            var gap = options.TimeProvider.GetElapsedTime(before, now);
            _silentTime += gap < _longestGap ? gap : _longestGap;
        }

        _lastOfferTimestamp = now;
        return _silentTime >= options.AgentTimeout
            ? new RequestRefusedException(StatusCode.DeadlineExceeded, Errors.TooSilent(options, _hasAcknowledged)) { Trouble = AgentTroubleKind.TooLate }
            : null;
    }

    public override int Offer(
        ObservationFrame frame, bool isAwaited, PublishBarrier barrier, out RequestRefusedException? drop)
    {
        drop = null;
        return queue.ReplaceFrames(frame);
    }

    public override void OnDequeued()
    {
        if (!_hasAcknowledged)
        {
            OnMessage();
        }
    }

    public override void OnMessage() => (_lastOfferTimestamp, _silentTime) = (null, TimeSpan.Zero);

    public override BarrierHold Acknowledge(ulong step)
    {
        _hasAcknowledged = true;
        OnMessage();
        return default;
    }
}
