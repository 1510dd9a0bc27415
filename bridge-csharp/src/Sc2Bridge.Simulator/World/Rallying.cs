using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>New units leave the building that made them and go to its rally point.</summary>
internal static class Rallying
{
    /// <summary>Creates a unit next to its maker and sends it to the rally point.</summary>
    public static Unit Create(GameWorld world, Unit maker, UnitType type)
    {
        var rally = RallyOf(maker, type);
        var (toX, toY) = rally is { } r ? (r.X, r.Y) : (maker.X - Geometry.Cell, maker.Y - (4 * Geometry.Cell));
        var (x, y) = type.Is(Kind.Flying) ? (maker.X, maker.Y) : Spots.Beside(world, maker, toX, toY);
        var unit = world.Add(type, maker.Owner, x, y);
        unit.Facing = Geometry.Direction(toX - x, toY - y);
        Send(unit, rally);
        return unit;
    }

    /// <summary>Sends a hatched unit to its hatchery's rally point.</summary>
    public static void Send(Unit unit, Unit hatchery) => Send(unit, RallyOf(hatchery, unit.Type));

    private static Rally? RallyOf(Unit maker, UnitType type)
    {
        Rally? found = null;
        foreach (var rally in maker.Rallies)
        {
            if (rally.ForWorkers == type.Is(Kind.Worker))
            {
                return rally;
            }

            // Workers without a rally point of their own use the general one. Other units never use the workers' rally point.
            found = rally.ForWorkers ? found : rally;
        }

        return found;
    }

    private static void Send(Unit unit, Rally? rally)
    {
        if (rally is not { } to)
        {
            return;
        }

        if (to.Target is { Alive: true } target && unit.Type.Is(Kind.Worker) && Fields.Mineable(target)
            && Fields.MayMine(unit, target)
            && AbilityKinds.Find(unit.Type, AbilityKind.Gather) is { } gather)
        {
            unit.Orders.Add(new Order(gather) { Target = target });
        }
        else if (AbilityKinds.Find(unit.Type, AbilityKind.Move) is { } move)
        {
            unit.Orders.Add(new Order(move) { HasPoint = true, X = to.X, Y = to.Y });
        }
    }
}
