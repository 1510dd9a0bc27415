namespace Sc2Bridge.Streaming.Acting;

/// <summary>Limits which actions one agent may send and how many may wait for the game. It also counts the actions of each step.</summary>
internal sealed class ActionQuota
{
    /// <summary>The most actions that may wait for the game. The largest army is 400 zerglings (200 supply): ten actions for each zergling.</summary>
    public const int MaxWaitingActions = 4096;

    /// <summary>The most bytes of actions that may wait for the game.</summary>
    public const int MaxWaitingBytes = 1 << 20;

    /// <summary>
    /// If the agent is not in lockstep, the observation that its actions respond to may be this many steps old. At one
    /// game loop per step this is ten seconds. The agent would no longer want orders that it based on an older
    /// observation.
    /// </summary>
    public const int MaxStepsBehind = 224;

    // How many steps have a count of actions. A report of times needs the count, and arrives at most a few dozen steps after its step.
    private const int CountedSteps = 1024;

    private readonly (ulong Step, int Count)[] _actionCounts = new (ulong, int)[CountedSteps];
    private int _waitingActions;
    private int _waitingBytes;

    /// <summary>Accepts actions if the agent may send them and the quota has room for them.</summary>
    /// <param name="actions">The agent's message.</param>
    /// <param name="steps">The steps that the agent has received.</param>
    /// <param name="isLockstep">Whether the game waits for the agent.</param>
    /// <param name="isLate">Whether the step's deadline has passed, so the game no longer waits.</param>
    /// <returns>The reason for a refusal; null if the actions were accepted.</returns>
    public RequestRefusedException? Reserve(AgentActions actions, AckTracker steps, bool isLockstep, bool isLate)
    {
        var step = actions.Sent.Step;
        var count = actions.Sent.Actions_.Count;
        if (!steps.WasTaken(step))
        {
            return new RequestRefusedException(
                StatusCode.InvalidArgument,
                $"the actions answer step {step}, which was not sent to this agent yet: "
                + (steps.NewestTaken is { } taken ? $"answer step {taken}, the newest" : "wait for the first step"));
        }

        if (isLockstep ? isLate || step != steps.NewestOffered : steps.NewestOffered - step > MaxStepsBehind)
        {
            return new RequestRefusedException(
                StatusCode.DeadlineExceeded,
                $"the actions answer step {step}, and the game is already at step {steps.NewestOffered}: "
                + (isLockstep
                    ? "the match did not wait for them, so answer the newest step"
                    : $"answer within {MaxStepsBehind} steps (use POLICY_LOCKSTEP, or POLICY_LATEST)"));
        }

        if (count > MaxWaitingActions - _waitingActions || actions.Bytes > MaxWaitingBytes - _waitingBytes)
        {
            return new RequestRefusedException(
                StatusCode.ResourceExhausted,
                $"{count} actions ({actions.Bytes} bytes) are too many while {_waitingActions} ({_waitingBytes} bytes) wait for the "
                + $"game: at most {MaxWaitingActions} actions and {MaxWaitingBytes} bytes may wait");
        }

        _waitingActions += count;
        _waitingBytes += actions.Bytes;
        ref var counted = ref _actionCounts[step % CountedSteps];
        counted = (step, counted.Step == step ? counted.Count + count : count);
        actions.IsInQuota = true;
        return null;
    }

    /// <summary>Frees the quota of actions that no longer wait for the game.</summary>
    public void Release(AgentActions actions)
    {
        if (actions.IsInQuota)
        {
            _waitingActions -= actions.Sent.Actions_.Count;
            _waitingBytes -= actions.Bytes;
        }
    }

    /// <summary>The number of accepted actions for a step; 0 for steps older than the last 1,024.</summary>
    public int CountOf(ulong step) => _actionCounts[step % CountedSteps] is var (counted, count) && counted == step ? count : 0;
}
