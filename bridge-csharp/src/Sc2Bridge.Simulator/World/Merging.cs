using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Merges two templars into an archon.</summary>
internal static class Merging
{
    // 12 seconds at normal speed.
    private const int Loops = 192;

    /// <summary>Carries out a loop of the order. Returns true when it is done.</summary>
    public static bool Merge(GameWorld world, Unit unit, Order order)
    {
        if (order.Target is not { Alive: true } other || !ReferenceEquals(other.Order?.Target, unit))
        {
            return true;
        }

        if (!Movement.Towards(world, unit, other, Geometry.Cell / 2))
        {
            return false;
        }

        world.Remove(unit, died: false);
        world.Remove(other, died: false);
        var player = world.PlayerOf(unit.Owner);
        world.Add(
            TechTree.Unit(order.Ability.Product), unit.Owner, (unit.X + other.X) / 2, (unit.Y + other.Y) / 2,
            Prices.LoopsFor(player, Loops));
        world.EventsOf(unit.Owner).Raise(Alert.MergeComplete);
        return true;
    }
}
