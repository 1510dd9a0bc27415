namespace Sc2Bridge.Streaming;

/// <summary>The newest frame only; the game does not wait for it. An agent that plays, and is silent for too long, is dropped.</summary>
/// <remarks>
/// An agent that has acknowledged a frame must go on acknowledging; for one that never did, taking frames counts as a sign of life.
/// Only time with frames counts: a gap between two counts for a tenth of the timeout at most.
/// </remarks>
/// <param name="queue">The subscription's.</param>
/// <param name="plays">Whether the agent plays.</param>
/// <param name="options">The timeout.</param>
internal sealed class LatestPolicy(DeliveryQueue queue, bool plays, HubOptions options) : DeliveryPolicy
{
    private readonly TimeSpan _longestGap = options.AgentTimeout / 10;
    private bool _answers;
    private long? _offered;
    private TimeSpan _silent;

    public override RequestRefusedException? Overdue()
    {
        if (!plays)
        {
            return null;
        }

        var now = options.TimeProvider.GetTimestamp();
        if (_offered is { } before)
        {
            var gap = options.TimeProvider.GetElapsedTime(before, now);
            _silent += gap < _longestGap ? gap : _longestGap;
        }

        _offered = now;
        return _silent >= options.AgentTimeout
            ? new RequestRefusedException(StatusCode.DeadlineExceeded, Errors.TooSilent(options, _answers))
            : null;
    }

    public override int Offer(
        ObservationFrame frame, bool isAwaited, PublishBarrier barrier, out RequestRefusedException? drop)
    {
        drop = null;
        return queue.Replace(frame);
    }

    public override void Take()
    {
        if (!_answers)
        {
            MessageReceived();
        }
    }

    public override void MessageReceived() => (_offered, _silent) = (null, TimeSpan.Zero);

    public override BarrierHold Acknowledge(ulong step)
    {
        _answers = true;
        MessageReceived();
        return default;
    }
}
