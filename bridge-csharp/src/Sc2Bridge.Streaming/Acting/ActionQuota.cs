namespace Sc2Bridge.Streaming.Acting;

/// <summary>Which actions one agent may send, how many may wait for the game, and how many there were for each step.</summary>
internal sealed class ActionQuota
{
    /// <summary>
    /// The most actions that may wait: ten for each unit of the largest army that 200 supply make, 400 zerglings.
    /// </summary>
    public const int MostActions = 4096;

    /// <summary>The most bytes of them.</summary>
    public const int MostBytes = 1 << 20;

    /// <summary>
    /// The steps that actions may be behind, where the agent is not in lockstep: ten seconds of a game of one loop a
    /// step. Orders based on an older world would no longer be what the agent wants.
    /// </summary>
    public const int MostStepsBehind = 224;

    // Times of a step are reported a few dozen steps after it.
    private const int StepsCounted = 1024;

    private readonly (ulong Step, int Count)[] _counts = new (ulong, int)[StepsCounted];
    private int _waiting;
    private int _bytes;

    /// <summary>Accepts actions, if they may be sent and there is room for them.</summary>
    /// <param name="actions">What the agent sent.</param>
    /// <param name="steps">Those that the agent got.</param>
    /// <param name="lockstep">Whether the game waits for the agent.</param>
    /// <param name="late">Whether the game has given up waiting.</param>
    /// <returns>Why not; null where they were taken.</returns>
    public RequestRefusedException? Take(AgentActions actions, AckTracker steps, bool lockstep, bool late)
    {
        var step = actions.Sent.Step;
        var count = actions.Sent.Actions_.Count;
        if (!steps.WasTaken(step))
        {
            return new RequestRefusedException(
                StatusCode.InvalidArgument,
                $"the actions answer step {step} before it was sent: "
                + (steps.Taken is { } taken ? $"the newest is {taken}" : "none has been sent yet"));
        }

        if (lockstep ? late || step != steps.Offered : steps.Offered - step > MostStepsBehind)
        {
            return new RequestRefusedException(
                StatusCode.DeadlineExceeded,
                $"the actions answer step {step} and the game is at step {steps.Offered}: "
                + (lockstep
                    ? "the match went on without them"
                    : $"at most {MostStepsBehind} steps may lie between (use POLICY_LOCKSTEP, or POLICY_LATEST)"));
        }

        if (count > MostActions - _waiting || actions.Bytes > MostBytes - _bytes)
        {
            return new RequestRefusedException(
                StatusCode.ResourceExhausted,
                $"{count} actions ({actions.Bytes} bytes) are too many while {_waiting} ({_bytes} bytes) wait for the "
                + $"game: at most {MostActions}, and {MostBytes} bytes, may");
        }

        _waiting += count;
        _bytes += actions.Bytes;
        ref var counted = ref _counts[step % StepsCounted];
        counted = (step, counted.Step == step ? counted.Count + count : count);
        actions.IsTaken = true;
        return null;
    }

    /// <summary>Actions no longer wait for the game.</summary>
    public void Done(AgentActions actions)
    {
        if (actions.IsTaken)
        {
            _waiting -= actions.Sent.Actions_.Count;
            _bytes -= actions.Bytes;
        }
    }

    /// <summary>Actions taken that answer a step of the last 1,024.</summary>
    public int Of(ulong step) => _counts[step % StepsCounted] is var (counted, count) && counted == step ? count : 0;
}
