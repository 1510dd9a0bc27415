using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Gives each unit a loop to carry out what it is told to do.</summary>
/// <remarks>
/// A unit's first order is the present one. Each kind of order has a step of its own that answers whether the order is
/// done; a unit without one fights what comes near (<see cref="Combat.Idle"/>).
/// </remarks>
internal static class Orders
{
    /// <summary>One loop of every unit's order.</summary>
    public static void Update(GameWorld world)
    {
        // By index: units that are made in this loop begin in it.
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

    /// <summary>Drops everything that a unit is told to do.</summary>
    public static void Clear(Unit unit)
    {
        unit.Orders.Clear();
        unit.Way = null;
        unit.Engaged = null;
    }

    // True when the order is done, or cannot be.
    private static bool Step(GameWorld world, Unit unit, Order order) => AbilityKinds.Of(order.Ability) switch
    {
        _ when order.Target is { Alive: false } gone && world.Vision.TakesForAlive(unit.Owner, gone) =>
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
