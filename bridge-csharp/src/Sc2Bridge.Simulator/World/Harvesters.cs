using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Counts who mines where, and how many could: assigned_harvesters and ideal_harvesters.</summary>
internal static class Harvesters
{
    /// <summary>Counts anew.</summary>
    public static void Count(GameWorld world)
    {
        var halls = new List<Unit>();
        foreach (var unit in world.Units)
        {
            unit.Harvesters = 0;
            if (unit.Alive && unit.Type.Is(Kind.TownHall) && Fields.TakesLoads(unit, unit.Owner))
            {
                unit.IdealHarvesters = 2 * FieldsOf(world, unit);
                halls.Add(unit);
            }
        }

        foreach (var unit in world.Units)
        {
            if (unit.Alive && unit.Type.Is(Kind.Worker) && FieldOf(unit) is { } field)
            {
                field.Harvesters++;
                if (field.Type.Is(Kind.Minerals) && HallOf(halls, unit.Owner, field) is { } hall)
                {
                    hall.Harvesters++;
                }
            }
        }
    }

    private static Unit? FieldOf(Unit worker)
    {
        if (worker.Order is not { } order)
        {
            return null;
        }

        return AbilityKinds.Of(order.Ability) switch
        {
            AbilityKind.Gather => order.Target,
            AbilityKind.Return => worker.Mines,
            _ => null,
        };
    }

    private static int FieldsOf(GameWorld world, Unit hall)
    {
        var count = 0;
        foreach (var unit in world.Bins.Near(hall.X, hall.Y, Fields.Reach))
        {
            if (unit.Type.Is(Kind.Minerals) && InReach(hall, unit))
            {
                count++;
            }
        }

        return count;
    }

    private static Unit? HallOf(List<Unit> halls, int owner, Unit field)
    {
        Unit? best = null;
        var least = int.MaxValue;
        foreach (var hall in halls)
        {
            if (hall.Owner == owner && InReach(hall, field))
            {
                var distance = Geometry.Length(hall.X - field.X, hall.Y - field.Y);
                (best, least) = distance < least ? (hall, distance) : (best, least);
            }
        }

        return best;
    }

    private static bool InReach(Unit hall, Unit field) =>
        Geometry.Length(hall.X - field.X, hall.Y - field.Y) <= Fields.Reach;
}
