namespace Sc2Bridge.Streaming;

/// <summary>How an agent's acknowledgement relates to the offered steps.</summary>
internal enum AckKind
{
    /// <summary>The acknowledgement is for the newest step.</summary>
    Newest,

    /// <summary>The acknowledgement is for another offered step: an older step, or a step from before a jump.</summary>
    Late,

    /// <summary>The acknowledgement is for a step that was acknowledged before.</summary>
    Repeated,

    /// <summary>The acknowledgement is for a step that was never offered.</summary>
    NeverOffered,
}

/// <summary>
/// The steps that one agent was offered, has taken and has acknowledged. Step numbers only grow, except when a playback
/// jumps. An acknowledgement that the agent sent before a jump may arrive after the jump.
/// </summary>
internal sealed class AckTracker
{
    private ulong? _acknowledged;
    private ulong _highestOffered;
    private ulong _highestTaken;
    private long _reportCount;
    private bool _hasNewestTimes;

    /// <summary>The newest offered step; null before the first offer.</summary>
    public ulong? NewestOffered { get; private set; }

    /// <summary>The newest step that the agent took; null if it took none.</summary>
    public ulong? NewestTaken { get; private set; }

    /// <summary>The first step that the agent took and did not acknowledge; null if there is no such step.</summary>
    public ulong? FirstUnanswered { get; private set; }

    /// <summary>Whether the agent has not yet reported the times of the newest step that it took.</summary>
    public bool OwesTimes => NewestTaken is not null && !_hasNewestTimes;

    /// <summary>The number of steps that the agent took.</summary>
    public long TakenCount { get; private set; }

    /// <summary>Records an offered step.</summary>
    /// <param name="step">The step.</param>
    /// <param name="isJump">Whether a playback has jumped to this step.</param>
    public void RecordOffer(ulong step, bool isJump)
    {
        _acknowledged = isJump ? null : _acknowledged;
        _highestOffered = Math.Max(_highestOffered, step);
        NewestOffered = step;
    }

    public void RecordTaken(ulong step)
    {
        _highestTaken = Math.Max(_highestTaken, step);
        NewestTaken = step;
        FirstUnanswered ??= step;
        TakenCount++;
        _hasNewestTimes = false;
    }

    public AckKind RecordAcknowledgement(ulong step)
    {
        if (NewestOffered is not { } newest || step > _highestOffered)
        {
            return AckKind.NeverOffered;
        }

        if (step <= _acknowledged)
        {
            return AckKind.Repeated;
        }

        // A step above the newest step was offered before a jump back. It does not acknowledge the steps that were offered later.
        _acknowledged = step <= newest ? step : _acknowledged;
        FirstUnanswered = step < NewestTaken ? step + 1 : null;
        return step == newest ? AckKind.Newest : AckKind.Late;
    }

    public bool WasTaken(ulong step) => NewestTaken is not null && step <= _highestTaken;

    /// <summary>
    /// Records that the times of a step were reported. Returns false if the agent cannot have measured these times. Also returns
    /// false if there are more reports than steps that the agent took, so that an agent cannot fill the log.
    /// </summary>
    public bool TryRecordTimes(ulong step)
    {
        if (!WasTaken(step) || _reportCount >= TakenCount)
        {
            return false;
        }

        _reportCount++;
        _hasNewestTimes |= step == NewestTaken;
        return true;
    }
}
