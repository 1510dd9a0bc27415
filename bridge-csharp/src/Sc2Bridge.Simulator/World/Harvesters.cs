using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Counts the workers at each field, and the ideal number: assigned_harvesters and ideal_harvesters.</summary>
internal static class Harvesters
{
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
    /// At first, all workers go to one mineral field. This method sends each to a field of their town hall: the nearest
    /// of the fields with the fewest workers. In the game, workers spread when they find the field in use. Here they do when they leave.
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
