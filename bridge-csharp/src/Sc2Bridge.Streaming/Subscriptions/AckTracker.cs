namespace Sc2Bridge.Streaming;

/// <summary>What an agent's answer to a step is.</summary>
internal enum AckKind
{
    /// <summary>To the newest step.</summary>
    Newest,

    /// <summary>To a step that others came after.</summary>
    Late,

    /// <summary>To one that was answered before.</summary>
    Again,

    /// <summary>To one that was never offered.</summary>
    Unknown,
}

/// <summary>
/// Which steps one agent can speak of: those that it was offered, took and answered. They grow but where a playback
/// jumps; what the agent says of a step from before a jump may still come after it.
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

    /// <summary>Whether times of the newest step that was taken are not reported yet.</summary>
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

    /// <summary>A step is taken.</summary>
    public void Take(ulong step)
    {
        _mostTaken = Math.Max(_mostTaken, step);
        Taken = step;
        Delivered++;
        _lastReported = false;
    }

    /// <summary>A step is answered.</summary>
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

        // One above the newest is from before a jump back, and says nothing of those that were offered since.
        _answered = step <= newest ? step : _answered;
        return step == newest ? AckKind.Newest : AckKind.Late;
    }

    /// <summary>Whether the step was taken.</summary>
    public bool WasTaken(ulong step) => Taken is not null && step <= _mostTaken;

    /// <summary>
    /// Times of a step are reported; false where an agent cannot have measured it: no more are than were taken, so that
    /// nobody fills the log.
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
