namespace Sc2Bridge.Simulator.World;

/// <summary>A player's selected units and control groups. A unit that dies or enters a transport is deselected.</summary>
internal sealed class Selection : Copyable
{
    /// <summary>The number of control groups.</summary>
    public const int GroupCount = 10;

    private List<Unit>[] _groups = [.. Enumerable.Range(0, GroupCount).Select(_ => new List<Unit>())];

    /// <summary>The selected units, in the order of selection.</summary>
    public List<Unit> Units { get; private set; } = [];

    /// <summary>The units of a control group.</summary>
    public List<Unit> Group(int index) => _groups[index];

    /// <summary>Selects units.</summary>
    /// <param name="units">The units.</param>
    /// <param name="add">Whether to add them to the selection. If false, they replace it.</param>
    public void Select(IEnumerable<Unit> units, bool add)
    {
        Unit[] chosen = [.. units];
        if (!add)
        {
            Units.Clear();
        }

        Units.AddRange(chosen.Where(unit => !Units.Contains(unit)));
    }

    /// <summary>Puts the selected units into a control group.</summary>
    /// <param name="index">The group's index.</param>
    /// <param name="add">Whether to keep the units that are in the group.</param>
    /// <param name="steal">Whether to remove the units from all other groups.</param>
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

    /// <summary>Removes dead and unseen units. Called once a loop.</summary>
    /// <param name="player">The id of the player that owns this selection.</param>
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

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies) =>
        (Units, _groups) = (copies.UnitsOf(Units), [.. _groups.Select(copies.UnitsOf)]);
}
