using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Cancels an unfinished building, a morph, the last product, an add-on, or the work on a building.</summary>
internal static class Cancelling
{
    /// <summary>The ability with which a unit cancels now, as the game lists it. Null if it has nothing to cancel.</summary>
    public static Ability? Of(Unit unit)
    {
        if (!unit.Finished)
        {
            return unit.Type.Is(Kind.Structure) ? TechTree.Ability(AbilityId.CancelBuildInProgress) : null;
        }

        if (unit.Change is { } change)
        {
            return CancelOf(change);
        }

        if (unit.Queue.Count > 0)
        {
            return TechTree.Ability(unit.Type.Is(Kind.TownHall) ? AbilityId.CancelQueueCancelToSelection
                : unit.Type.Is(Kind.TakesAddOn) ? AbilityId.CancelQueueAddOn
                : AbilityId.CancelQueue5);
        }

        if (unit.Type.Id == UnitId.AdeptPhaseShift)
        {
            return TechTree.Ability(AbilityId.CancelAdeptShadePhaseShift);
        }

        if (unit.Order is { Phase: 2, Ability: var channelled } && SecondOf(channelled) is { } stop)
        {
            return stop;
        }

        if (unit.Order is { Made: { Finished: false } } order)
        {
            return AbilityKinds.Of(order.Ability) switch
            {
                AbilityKind.AddOn => TechTree.Abilities.FirstOrDefault(a => a.Link == order.Ability.Link
                    && a.RemapsTo == AbilityId.Cancel),
                AbilityKind.Build => TechTree.Ability(AbilityId.HaltTerranBuild),
                _ => null,
            };
        }

        return null;
    }

    /// <summary>Whether a cancelling ability applies to what the unit is doing.</summary>
    public static bool Fits(Unit unit, Ability ability)
    {
        if (Of(unit) is not { } own)
        {
            return false;
        }

        var slot = ability.Id == AbilityId.CancelSlot || ability.RemapsTo == AbilityId.CancelSlot;
        return ability.Id == own.Id || ability.Id == own.RemapsTo
            || (ability.RemapsTo != 0 && ability.RemapsTo == own.RemapsTo)
            || (unit.Queue.Count > 0 && (slot || ability.Id == AbilityId.Cancel))
            || (!unit.Finished && unit.Builder is not null && (ability.Id is AbilityId.HaltBuilding or AbilityId.Halt))
            || (unit.Change is not null
                && (ability.Id is AbilityId.CancelLast or AbilityId.Cancel || ability.RemapsTo == AbilityId.Cancel));
    }

    /// <summary>Cancels. The caller has checked <see cref="Fits"/>.</summary>
    public static void Cancel(GameWorld world, Unit unit, Ability ability)
    {
        if (!unit.Finished)
        {
            if (ability.Id is AbilityId.HaltBuilding or AbilityId.Halt)
            {
                unit.Builder?.Orders.Clear();
                unit.Builder = null;
            }
            else if (unit.AddOn is { } building && unit.Type.Is(Kind.AddOn))
            {
                CancelAddOn(world, building, unit);
            }
            else
            {
                Construction.Cancel(world, unit);
            }
        }
        else if (unit.Change is not null)
        {
            Morphs.Cancel(world, unit);
        }
        else if (unit.Queue.Count > 0)
        {
            Production.Dequeue(world, unit, unit.Queue.Count - 1);
        }
        else if (unit.Type.Id == UnitId.AdeptPhaseShift)
        {
            world.Remove(unit, died: true);
        }
        else if (unit.Order is { Made: null })
        {
            unit.Orders.RemoveAt(0);
        }
        else if (unit.Order is { Made: { } made } order)
        {
            if (AbilityKinds.Of(order.Ability) == AbilityKind.AddOn)
            {
                CancelAddOn(world, unit, made);
            }

            unit.Orders.Remove(order);
            unit.Way = null;
        }
    }

    private static void CancelAddOn(GameWorld world, Unit building, Unit addOn)
    {
        world.PlayerOf(building.Owner).Refund(addOn.Type.Minerals * 3 / 4, addOn.Type.Vespene * 3 / 4);
        world.Remove(addOn, died: true);
    }

    // The ability after the morph's, if it is a cancelling one. An egg has the cancelling ability of its queue.
    private static Ability? CancelOf(Change change) => change.From.Id == UnitId.Larva
        ? TechTree.Ability(AbilityId.CancelQueue1)
        : SecondOf(change.Ability) ?? (change.Paid.Minerals > 0 ? TechTree.Ability(AbilityId.Cancel) : null);

    private static Ability? SecondOf(Ability ability) => TechTree.Abilities.FirstOrDefault(a => a.Link == ability.Link
        && a.Index == ability.Index + 1 && a.RemapsTo == AbilityId.Cancel);
}
