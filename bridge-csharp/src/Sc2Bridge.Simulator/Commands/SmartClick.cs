using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>The ability of a right click, by the unit that is ordered and the target.</summary>
internal static class SmartClick
{
    /// <summary>The ability, or null if the click does nothing.</summary>
    public static UnitAbility? Resolve(Unit unit, CommandTarget target)
    {
        if (!target.Any)
        {
            return null;
        }

        if (target.Unit is not { } other)
        {
            return First(unit, AbilityKind.Move) ?? First(unit, AbilityKind.Rally);
        }

        if (unit.Type.Is(Kind.Structure) && unit.Type.Speed == 0)
        {
            return other.Owner != unit.Owner && other.Owner != GameWorld.Neutral
                && First(unit, AbilityKind.Attack) is { } shoot
                ? shoot
                : Rally(unit, other);
        }

        return OnUnit(unit, other) ?? First(unit, AbilityKind.Move);
    }

    private static UnitAbility? OnUnit(Unit unit, Unit other)
    {
        if (Fields.Mineable(other) && Fields.MayMine(unit, other) && Construction.IsFinishedWithout(unit, other)
            && First(unit, AbilityKind.Gather) is { } gather)
        {
            return gather;
        }

        if (other.Owner == GameWorld.Neutral)
        {
            return null;
        }

        if (other.Owner != unit.Owner)
        {
            return First(unit, AbilityKind.Attack);
        }

        if (unit.Load != World.Load.None && Fields.TakesLoads(other, unit.Owner))
        {
            return Mining.ReturnOf(unit.Type) is { } home ? new UnitAbility(home, []) : null;
        }

        // An unfinished building is resumed, and a damaged unit is repaired.
        if (!other.Finished || Repairs.Possible(other, unit.Owner))
        {
            return First(unit, AbilityKind.Repair);
        }

        // The unit enters a transport, with the transport's ability. Or the unit is a transport and loads the target.
        return Transport.Fits(other, unit) && !other.Type.Is(Kind.TownHall) ? First(other, AbilityKind.Load)
            : Transport.Fits(unit, other) ? First(unit, AbilityKind.Load)
            : null;
    }

    // A hatchery has two rally points. A click on a resource sets the one for workers.
    private static UnitAbility? Rally(Unit unit, Unit other)
    {
        foreach (var own in unit.Type.Abilities)
        {
            if (own.Ability.RemapsTo == AbilityId.RallyWorkers && Fields.Mineable(other))
            {
                return own;
            }
        }

        return First(unit, AbilityKind.Rally);
    }

    private static UnitAbility? First(Unit unit, AbilityKind kind) => AbilityKinds.First(unit.Type, kind);
}
