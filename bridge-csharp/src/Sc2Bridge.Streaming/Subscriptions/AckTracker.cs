namespace Sc2Bridge.Streaming;

/// <summary>How an agent's acknowledgement relates to the steps it was offered.</summary>
internal enum AckKind
{
    /// <summary>To the newest step.</summary>
    Newest,

    /// <summary>To an older step.</summary>
    Late,

    /// <summary>To a step that was answered before.</summary>
    Again,

    /// <summary>To a step that was never offered.</summary>
    Unknown,
}

/// <summary>
/// The steps that one agent was offered, took and answered. They only grow, except where a playback jumps; an
/// acknowledgement of a step from before a jump may still arrive after it.
/// </summary>
internal sealed class AckTracker
{
    private ulong? _answered;
    private ulong _mostOffered;
    private ulong _mostTaken;
    private long _reported;
    private bool _lastReported;

    /// <summary>The newest step that was offered; null before the first.</summary>
    public ulong? Offered { get; private set; }

    /// <summary>The newest step that was taken; null before the first.</summary>
    public ulong? Taken { get; private set; }

    /// <summary>Whether the times of the newest step that was taken are still to be reported.</summary>
    public bool OwesTimes => Taken is not null && !_lastReported;

    /// <summary>Steps taken.</summary>
    public long Delivered { get; private set; }

    /// <summary>A step is offered.</summary>
    /// <param name="step">The step.</param>
    /// <param name="isJump">Whether it does not follow the one before.</param>
    public void Offer(ulong step, bool isJump)
    {
        _answered = isJump ? null : _answered;
        _mostOffered = Math.Max(_mostOffered, step);
        Offered = step;
    }

    public void Take(ulong step)
    {
        _mostTaken = Math.Max(_mostTaken, step);
        Taken = step;
        Delivered++;
        _lastReported = false;
    }

    public AckKind Answer(ulong step)
    {
        if (Offered is not { } newest || step > _mostOffered)
        {
            return AckKind.Unknown;
        }

        if (step <= _answered)
        {
            return AckKind.Again;
        }

        // A step above the newest is from before a jump back, and does not answer those offered since.
        _answered = step <= newest ? step : _answered;
        return step == newest ? AckKind.Newest : AckKind.Late;
    }

    public bool WasTaken(ulong step) => Taken is not null && step <= _mostTaken;

    /// <summary>
    /// Times of a step are reported; false where the agent cannot have measured it. No more reports are accepted than
    /// steps were taken, so that an agent cannot fill the log.
    /// </summary>
    public bool Report(ulong step)
    {
        if (!WasTaken(step) || _reported >= Delivered)
        {
            return false;
        }

        _reported++;
        _lastReported |= step == Taken;
        return true;
    }
}
