namespace Sc2Bridge.Streaming.Acting;

/// <summary>The actions of one side's agents until they go to the game: plain state, no threads.</summary>
internal sealed class SideActions(uint perspective)
{
    private readonly UnitOwnership _claims = new();
    private readonly List<AgentActions> _waiting = [];

    /// <summary>The newest step so far; 0 before the first.</summary>
    public ulong Step { get; private set; }

    /// <summary>Keeps an agent's actions for the next step.</summary>
    public void Collect(AgentActions actions) => _waiting.Add(actions);

    /// <summary>Takes all that waits for the game, before a step.</summary>
    /// <returns>Null where nothing waits.</returns>
    public ActionBatch? Take()
    {
        if (_waiting.Count == 0)
        {
            return null;
        }

        _claims.Clear();
        _waiting.ForEach(_claims.Claim);
        var round = new ActionBatch(perspective, Step);
        _waiting.ForEach(actions => round.Add(actions, _claims));
        _waiting.Clear();
        return round;
    }

    /// <summary>
    /// Takes an agent's actions for the game at once, in real time: without the units that an agent of higher
    /// precedence has commanded since the last step.
    /// </summary>
    /// <param name="actions">What it sent.</param>
    public ActionBatch Pass(AgentActions actions)
    {
        _claims.Claim(actions);
        var round = new ActionBatch(perspective, Step);
        round.Add(actions, _claims);
        return round;
    }

    /// <summary>Another step has begun.</summary>
    public void Stepped(ulong step)
    {
        Step = step;
        _claims.Clear();
    }

    /// <summary>Drops actions that wait.</summary>
    /// <returns>The dropped ones.</returns>
    public IReadOnlyList<AgentActions> Drop(Predicate<AgentActions> which)
    {
        // Almost always nothing is dropped, and then nothing is allocated.
        if (!_waiting.Exists(which))
        {
            return [];
        }

        var dropped = _waiting.FindAll(which);
        _waiting.RemoveAll(new HashSet<AgentActions>(dropped).Contains);
        return dropped;
    }
}
