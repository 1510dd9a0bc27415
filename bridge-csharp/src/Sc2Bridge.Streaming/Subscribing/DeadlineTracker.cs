namespace Sc2Bridge.Streaming;

/// <summary>How often one lockstep agent has let a deadline pass, and whether the game still waits for it.</summary>
internal sealed class DeadlineTracker(HubOptions options)
{
    private int _missed;
    private long _since;
    private bool _ended;

    /// <summary>Whether the game waits no longer for the agent, until it answers again.</summary>
    public bool IsLate { get; private set; }

    /// <summary>A deadline has passed.</summary>
    /// <returns>True where that was the last that may.</returns>
    public bool Miss()
    {
        IsLate = true;
        _since = options.TimeProvider.GetTimestamp();
        return ++_missed >= options.MostMissedDeadlines;
    }

    /// <summary>The match goes on: a deadline may have passed again since the agent was heard of last.</summary>
    /// <returns>True where that was the last that may.</returns>
    public bool GoesOn() => IsLate && !_ended
        && options.TimeProvider.GetElapsedTime(_since) >= options.LockstepDeadline && Miss();

    /// <summary>The agent has answered, late or not.</summary>
    public void Answered() => IsLate = _ended;

    /// <summary>The agent has said that it will answer no more.</summary>
    public void End() => IsLate = _ended = true;
}
