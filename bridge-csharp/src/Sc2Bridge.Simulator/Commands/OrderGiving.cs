using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;
using Aim = SC2APIProtocol.AbilityData.Types.Target;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Gives a unit an order that <see cref="OrderRules"/> allow.</summary>
/// <remarks>
/// Actions without movement are done at once, so that of two commands in one loop, the second sees that the first has
/// spent the resources. Others become orders, which the unit carries out in the next loops.
/// </remarks>
internal static class OrderGiving
{
    /// <summary>Gives the order.</summary>
    /// <param name="world">The world.</param>
    /// <param name="unit">The unit.</param>
    /// <param name="ability">The unit's own ability.</param>
    /// <param name="target">The target.</param>
    /// <param name="queued">Whether it comes after the unit's other orders.</param>
    public static void Give(GameWorld world, Unit unit, Ability ability, CommandTarget target, bool queued)
    {
        switch (AbilityKinds.Of(ability))
        {
            case AbilityKind.Cancel:
                Cancelling.Cancel(world, unit, ability);
                break;
            case AbilityKind.Stop when !queued || unit.Orders.Count == 0:
                Stop(unit);
                break;
            case AbilityKind.Rally:
                Rally(unit, ability, target);
                break;
            case AbilityKind.Queue:
                Production.Enqueue(world, unit, ability);
                break;
            case AbilityKind.Warp:
                WarpIns.Begin(world, unit, ability, target.X, target.Y);
                break;
            case AbilityKind.AddOn:
                AddOn(world, unit, ability, target, queued);
                break;
            case AbilityKind.Morph when !queued || (unit.Orders.Count == 0 && unit.Change is null):
                World.Orders.Clear(unit);
                Morphs.Start(world, unit, Order(unit, ability, target));
                break;
            case AbilityKind.Cast when !queued && (!target.Any || unit.Type.Is(Kind.Structure)):
                Cast(world, unit, Order(unit, ability, target));
                break;
            default:
                Append(unit, Order(unit, ability, target), queued);
                break;
        }
    }

    private static Order Order(Unit unit, Ability ability, CommandTarget target)
    {
        // To repair an unfinished building is to resume its construction.
        if (AbilityKinds.Of(ability) == AbilityKind.Repair && target.Unit is { } other)
        {
            ability = Construction.ResumeOf(other) ?? ability;
        }

        // A unit that is sent into a transport moves there, like a unit that the transport calls.
        var boards = AbilityKinds.Of(ability) == AbilityKind.Load && unit.Type.AbilityOf(ability.Id) is null;
        ability = boards ? AbilityKinds.Find(unit.Type, AbilityKind.Move) ?? ability : ability;

        var (x, y) = (target.X, target.Y);
        var places = AbilityKinds.Of(ability) is AbilityKind.Build or AbilityKind.Land
            || ability.Id == AbilityId.EffectAutoTurret;
        if (places && TechTree.FindUnit(ability.Product) is { Footprint: > 0 } type)
        {
            (x, y) = Sites.Snap(type, x, y);
        }

        // The order of an ability without a target has no target, even if something was clicked.
        var without = ability.Target == Aim.None;
        var order = new Order(ability)
        {
            Target = without ? null : target.Unit,
            HasPoint = !without && target.HasPoint,
            X = x,
            Y = y,
            Boards = boards,
        };
        order.From = (unit.X, unit.Y);
        return order;
    }

    private static void Append(Unit unit, Order order, bool queued)
    {
        if (!queued && Repeats(unit, order))
        {
            unit.Orders.RemoveRange(1, unit.Orders.Count - 1);
            return;
        }

        if (!queued)
        {
            // A unit that is sent to attack again keeps its target, because bots repeat this command at every step.
            var engaged = order.HasPoint && AbilityKinds.Of(order.Ability) == AbilityKind.Attack ? unit.Engaged : null;
            World.Orders.Clear(unit);
            unit.Engaged = engaged;
        }

        unit.Orders.Add(order);
    }

    // Bots repeat their commands at every loop. The current order continues, or it would always start again.
    private static bool Repeats(Unit unit, Order order) => unit.Order?.IsRepeatedBy(order) == true;

    // Spells without movement do not interrupt the unit's orders.
    private static void Cast(GameWorld world, Unit unit, Order order)
    {
        if (!Repeats(unit, order) && !Casting.Cast(world, unit, order) && unit.Alive)
        {
            unit.Orders.Insert(0, order);
        }
    }

    // A building continues to build its add-on.
    private static void Stop(Unit unit)
    {
        unit.Orders.RemoveAll(static o => AbilityKinds.Of(o.Ability) != AbilityKind.AddOn || o.Made is null);
        unit.Way = null;
        unit.Engaged = null;
    }

    private static void Rally(Unit unit, Ability ability, CommandTarget target)
    {
        var forWorkers = ability.RemapsTo == AbilityId.RallyWorkers;
        unit.Rallies.RemoveAll(r => r.ForWorkers == forWorkers);

        // A rally point on the building itself clears it.
        if (!ReferenceEquals(target.Unit, unit))
        {
            unit.Rallies.Add(new Rally(target.X, target.Y, target.Unit, forWorkers));
        }
    }

    private static void AddOn(GameWorld world, Unit unit, Ability ability, CommandTarget target, bool queued)
    {
        var order = new Order(ability);
        if (OrderRules.MovesFirst(unit, target))
        {
            var standing = unit.Flying ? unit.Type
                : TechTree.Unit(AbilityKinds.Find(unit.Type, AbilityKind.Morph)!.Product);
            var (x, y) = Sites.Snap(TechTree.Unit(UnitId.Barracks), target.X, target.Y);
            World.Orders.Clear(unit);
            if (!unit.Flying)
            {
                unit.Orders.Add(new Order(AbilityKinds.Find(unit.Type, AbilityKind.Morph)!));
            }

            var land = AbilityKinds.Find(standing, AbilityKind.Land)!;
            unit.Orders.Add(new Order(land) { HasPoint = true, X = x, Y = y });
            unit.Orders.Add(order);
        }
        else if (queued && unit.Orders.Count > 0)
        {
            unit.Orders.Add(order);
        }
        else if (AddOns.Begin(world, unit, order) == SC2APIProtocol.ActionResult.Success)
        {
            unit.Orders.Add(order);
        }
    }
}
