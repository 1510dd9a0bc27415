using Sc2Bridge.Simulator.World;
using Unit = Sc2Bridge.Simulator.World.Unit;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>Writes a unit's orders (Unit.orders), with the game's ability ids.</summary>
internal static class OrderWriter
{
    private const int Move = 16;
    private const int Attack = 23;

    /// <summary>Writes them, and answers whether there is any.</summary>
    public static bool Write(WireWriter wire, GameWorld world, ref Unit unit)
    {
        var facts = unit.Facts;
        if (facts.Is(Kind.Structure) || facts.Id == Production.EggId)
        {
            return WriteProduction(wire, ref unit);
        }

        // Gather and return: ids of the SCV's, the probe's and the drone's own abilities.
        var gather = facts.Id switch { 45 => 295, 84 => 298, _ => 1183 };
        switch (unit.Errand)
        {
            case Errand.ToResource or Errand.Mining when unit.Target >= 0:
                WriteAt(wire, gather, world.TagOf(unit.Target));
                return true;
            case Errand.Returning:
                WriteAt(wire, gather + 1, null);
                return true;
            case Errand.Building when unit.Target >= 0:
                WriteTo(wire, world.Units[unit.Target].Facts.Ability, unit.GoalX, unit.GoalY);
                return true;
            case Errand.ToSite when unit.Product >= 0:
                WriteTo(wire, UnitTable.All[unit.Product].Ability, unit.GoalX, unit.GoalY);
                return true;
            case Errand.Moving:
                WriteTo(wire, Move, unit.GoalX, unit.GoalY);
                return true;
            case Errand.Attacking:
                WriteTo(wire, Attack, unit.GoalX, unit.GoalY);
                return true;
            default:
                return false;
        }
    }

    private static bool WriteProduction(WireWriter wire, ref Unit unit)
    {
        var facts = unit.Facts;
        if (unit.Product < 0 && unit.Research < 0)
        {
            return false;
        }

        var (ability, loops) = unit.Product >= 0
            ? (UnitTable.All[unit.Product].Ability, UnitTable.All[unit.Product].BuildLoops)
            : (Upgrade.All[unit.Research].Ability, Upgrade.All[unit.Research].Loops);
        var atOnce = unit.Product >= 0 && facts.Is(Kind.Structure) ? unit.Batch : 1;
        for (var i = 0; i < atOnce; i++)
        {
            var order = wire.Begin(22);
            wire.Int(1, ability);
            wire.Float(4, 1 - (unit.ProductLeft / (float)Math.Max(1, loops)));
            wire.End(order);
        }

        return true;
    }

    private static void WriteAt(WireWriter wire, int ability, ulong? tag)
    {
        var order = wire.Begin(22);
        wire.Int(1, ability);
        if (tag is { } target)
        {
            wire.UInt(3, target);
        }

        wire.End(order);
    }

    private static void WriteTo(WireWriter wire, int ability, int x, int y)
    {
        var order = wire.Begin(22);
        wire.Int(1, ability);
        wire.Point(2, x / (float)Geometry.Cell, y / (float)Geometry.Cell, 0);
        wire.End(order);
    }
}
