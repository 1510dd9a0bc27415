namespace Sc2Bridge.Simulator.World;

/// <summary>What a player has selected, and its control groups. Who dies, or gets into a transport, is no more selected.</summary>
internal sealed class Selection
{
    /// <summary>How many control groups there are.</summary>
    public const int GroupCount = 10;

    private readonly List<Unit>[] _groups = [.. Enumerable.Range(0, GroupCount).Select(_ => new List<Unit>())];

    /// <summary>The selected units, as they came.</summary>
    public List<Unit> Units { get; } = [];

    /// <summary>The units of a control group.</summary>
    public List<Unit> Group(int index) => _groups[index];

    /// <summary>Selects units.</summary>
    /// <param name="units">Which.</param>
    /// <param name="add">Beside those that are selected, rather than in their place.</param>
    public void Select(IEnumerable<Unit> units, bool add)
    {
        Unit[] chosen = [.. units];
        if (!add)
        {
            Units.Clear();
        }

        Units.AddRange(chosen.Where(unit => !Units.Contains(unit)));
    }

    /// <summary>Puts what is selected into a control group.</summary>
    /// <param name="index">Which.</param>
    /// <param name="add">Beside those that are in it.</param>
    /// <param name="steal">Out of every other group.</param>
    public void Assign(int index, bool add, bool steal)
    {
        if (!add)
        {
            _groups[index].Clear();
        }

        for (var i = 0; i < GroupCount; i++)
        {
            if (i != index && steal)
            {
                _groups[i].RemoveAll(Units.Contains);
            }
        }

        _groups[index].AddRange(Units.Where(unit => !_groups[index].Contains(unit)));
    }

    /// <summary>One loop: drops who is gone.</summary>
    /// <param name="player">Whose selection it is.</param>
    public void Update(int player)
    {
        if (Units.Count > 0)
        {
            Units.RemoveAll(unit => !unit.Alive || !unit.Present
                || (unit.Owner != player && !unit.IsKnownTo(player)));
        }

        foreach (var group in _groups)
        {
            if (group.Count > 0)
            {
                group.RemoveAll(static unit => !unit.Alive);
            }
        }
    }
}
