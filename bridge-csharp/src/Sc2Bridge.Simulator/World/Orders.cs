using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Gives each unit one loop to carry out its orders.</summary>
/// <remarks>
/// A unit's first order is the current one. Each kind of order has its own step method, which returns whether the order is
/// done. A unit without orders fights enemies near it (<see cref="Combat.Idle"/>).
/// </remarks>
internal static class Orders
{
    /// <summary>Carries out one loop of every unit's order.</summary>
    public static void Update(GameWorld world)
    {
        // The loop uses an index, because units that are created in this loop also act in it.
        for (var i = 0; i < world.Units.Count; i++)
        {
            var unit = world.Units[i];
            if (!unit.Alive || !unit.Present || !unit.Finished || unit.Owner == GameWorld.Neutral)
            {
                continue;
            }

            if (Buffs.Stuns(unit))
            {
                continue;
            }

            if (unit.Change is not null)
            {
                Morphs.Update(world, unit);
            }
            else if (unit.Order is not { } order)
            {
                Combat.Idle(world, unit);
            }
            else if (Step(world, unit, order) && unit.Alive && ReferenceEquals(unit.Order, order))
            {
                unit.Orders.RemoveAt(0);
                unit.Way = null;
            }
        }
    }

    /// <summary>Clears a unit's orders, route and target.</summary>
    public static void Clear(Unit unit)
    {
        unit.Orders.Clear();
        unit.Way = null;
        unit.Engaged = null;
    }

    // Returns true when the order is done or has failed.
    private static bool Step(GameWorld world, Unit unit, Order order) => AbilityKinds.Of(order.Ability) switch
    {
        _ when order.Target is { Alive: false } gone && world.Vision.BelievesAlive(unit.Owner, gone) =>
            Marching.LookFor(world, unit, gone),
        AbilityKind.Move when order.Boards => Transport.Load(world, unit, order),
        AbilityKind.Move => Marching.Move(world, unit, order),
        AbilityKind.Patrol => Marching.Patrol(world, unit, order),
        AbilityKind.Stop => true,
        AbilityKind.HoldPosition => Marching.Hold(world, unit),
        AbilityKind.Attack => Marching.Attack(world, unit, order),
        AbilityKind.Gather => Mining.Gather(world, unit, order),
        AbilityKind.Return => Mining.Return(world, unit, order),
        AbilityKind.Build => Construction.Build(world, unit, order),
        AbilityKind.Repair => Repairs.Repair(world, unit, order),
        AbilityKind.Morph or AbilityKind.Land => Morphs.Begin(world, unit, order),
        AbilityKind.AddOn => AddOns.Build(world, unit, order),
        AbilityKind.Load => Transport.Load(world, unit, order),
        AbilityKind.Unload => Transport.Unload(world, unit, order),
        _ => Casting.Cast(world, unit, order),
    };
}
