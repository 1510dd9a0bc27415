using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Finds the unit's own ability for a command. Clients may name a general ability that stands for it.</summary>
internal static class UnitAbilities
{
    private static readonly Dictionary<int, Ability[]> Unloading = TechTree.Units.Where(u => u.CargoSpace > 0)
        .ToDictionary(u => u.Id, FindUnloading);

    /// <summary>Abilities that a unit has only in its current state: to return its load, to cancel, to unload.</summary>
    public static IEnumerable<Ability> OfState(Unit unit)
    {
        if (unit.Load != World.Load.None && Mining.ReturnOf(unit.Type) is { } home)
        {
            yield return home;
        }

        if (unit.Passengers.Count > 0)
        {
            foreach (var ability in Unloading.GetValueOrDefault(unit.Type.Id, []))
            {
                yield return ability;
            }
        }

        if (unit.Cloaked && unit.Type.Id is UnitId.Ghost or UnitId.Banshee)
        {
            yield return TechTree.Ability(
                unit.Type.Id == UnitId.Ghost ? AbilityId.BehaviorCloakOffGhost : AbilityId.BehaviorCloakOffBanshee);
        }

        if (Cancelling.Of(unit) is { } cancel)
        {
            yield return cancel;
        }
    }

    /// <summary>The unit's own ability for the requested one; null if it has none.</summary>
    /// <param name="player">The unit's owner.</param>
    /// <param name="unit">The unit.</param>
    /// <param name="asked">The requested ability: the unit's own, a general one, or another type's ability of the same kind.</param>
    public static UnitAbility? Resolve(Player player, Unit unit, Ability asked)
    {
        UnitAbility? found = null;
        foreach (var own in unit.Type.Abilities)
        {
            if (own.Ability.Id == asked.Id || own.Ability.Formerly.Contains(asked.Id))
            {
                return own;
            }

            // Of several matches, one that can be used now: for example the first level of weapons that is not yet researched.
            if (StandsFor(asked, own.Ability) && (found is null || !Usable(player, unit, found.Value)))
            {
                found = own;
            }
        }

        if (found is not null)
        {
            return found;
        }

        if (AbilityKinds.Of(asked) == AbilityKind.Cancel)
        {
            return new UnitAbility(asked, []);
        }

        foreach (var own in OfState(unit))
        {
            if (own.Id == asked.Id || StandsFor(asked, own))
            {
                return new UnitAbility(own, []);
            }
        }

        return null;
    }

    private static bool Usable(Player player, Unit unit, UnitAbility ability) =>
        Requirements.Met(player, unit, ability) && !Requirements.HasUpgrade(player, ability.Ability);

    private static bool StandsFor(Ability asked, Ability own) => own.RemapsTo != 0
        && (own.RemapsTo == asked.Id || (own.RemapsTo == asked.RemapsTo && IsCommon(AbilityKinds.Of(own))));

    // A probe can carry out an SCV's gather command, but a factory cannot build a barracks' tech lab.
    private static bool IsCommon(AbilityKind kind) => kind is AbilityKind.Stop or AbilityKind.Move or AbilityKind.Patrol
        or AbilityKind.HoldPosition or AbilityKind.Attack or AbilityKind.Gather or AbilityKind.Return
        or AbilityKind.Rally;

    private static Ability[] FindUnloading(UnitType type)
    {
        var links = type.Abilities.Select(a => a.Ability).Where(a => AbilityKinds.Of(a) == AbilityKind.Load)
            .Select(a => a.Link).ToHashSet();
        return [.. TechTree.Abilities.Where(a => links.Contains(a.Link) && AbilityKinds.Of(a) == AbilityKind.Unload)];
    }
}
