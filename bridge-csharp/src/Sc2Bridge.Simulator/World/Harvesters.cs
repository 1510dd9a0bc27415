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

    /// <summary>
    /// Sends the first workers, who are all on their way to one field, to the fields of their town hall: each to the
    /// nearest of those with the fewest. The game's find that field taken, and spread there; here it is as they leave.
    /// </summary>
    public static void Spread(GameWorld world)
    {
        foreach (var player in world.Players)
        {
            var fields = WorldSetup.FieldsOf(world, player);
            if (fields.Length == 0)
            {
                continue;
            }

            var middle = WorldSetup.MiddleOf(fields);
            var sent = new int[fields.Length];
            foreach (var worker in world.Units)
            {
                if (worker.Owner != player.Id || worker.Orders is not [{ } order] || order.Target != middle
                    || AbilityKinds.Of(order.Ability) != AbilityKind.Gather)
                {
                    continue;
                }

                var to = Enumerable.Range(0, fields.Length).OrderBy(i => sent[i])
                    .ThenBy(i => Geometry.Length(fields[i].X - worker.X, fields[i].Y - worker.Y)).First();
                sent[to]++;
                worker.Orders[0] = new Order(order.Ability) { Target = fields[to] };
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
            if (unit.Type.Is(Kind.Minerals) && Far(hall, unit) <= Fields.Reach)
            {
                count++;
            }
        }

        return count;
    }

    private static Unit? HallOf(List<Unit> halls, int owner, Unit field)
    {
        Unit? best = null;
        var least = Fields.Reach + 1;
        foreach (var hall in halls)
        {
            if (hall.Owner == owner && Far(hall, field) is var far && far < least)
            {
                (best, least) = (hall, far);
            }
        }

        return best;
    }

    private static int Far(Unit hall, Unit field) => Geometry.Length(hall.X - field.X, hall.Y - field.Y);
}
