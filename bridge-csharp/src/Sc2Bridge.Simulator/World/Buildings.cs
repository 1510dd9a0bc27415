using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>Where a computer puts which buildings.</summary>
internal static class Buildings
{
    /// <summary>Orders the next building of the plan.</summary>
    /// <returns>Whether the player saves for one that it cannot pay yet.</returns>
    public static bool Follow(GameWorld world, Player player, BuildPlan plan, int workers, int halls)
    {
        foreach (var (type, needed, count) in plan.Tech)
        {
            if (workers >= needed && player.Count[UnitTable.Of(type).Index] < count)
            {
                Put(world, player, UnitTable.Of(type));
                return player.Minerals < 400;
            }
        }

        var gas = UnitTable.Of(plan.Gas);
        if (workers >= 18 && player.Count[gas.Index] < Math.Min(halls * 2, workers / 20)
            && player.Count[gas.Index] == player.Finished[gas.Index])
        {
            PutGas(world, player, gas);
        }

        AddOns(world, player);
        if (workers >= 34)
        {
            Guard(world, player, plan, halls);
        }

        return false;
    }

    private static void Guard(GameWorld world, Player player, BuildPlan plan, int halls)
    {
        // Guards come once there is more in store than units need; a tumour costs nothing.
        var spare = player.Minerals > (player.HalfFoodUsed >= 300 ? 200 : 400);
        foreach (var (type, each) in plan.Defence)
        {
            if (player.Count[UnitTable.Of(type).Index] >= each * halls)
            {
                continue;
            }

            if (type == Creep.TumorId)
            {
                PlantTumor(world, player);
            }
            else if (spare)
            {
                Put(world, player, UnitTable.Of(type));
            }
        }
    }

    /// <summary>Orders a building at a free spot of the player's bases, the first base first.</summary>
    public static bool Put(GameWorld world, Player player, UnitFacts type)
    {
        var first = world.Random(2) == 0 ? player.StartBase : Armies.FrontBase(world, player);
        for (var i = -1; i < world.Map.Bases.Length; i++)
        {
            var at = i < 0 ? first : i;
            var spots = world.Map.Bases[at].Spots;
            for (var spot = 0; world.BaseOwner[at] == player.Id && spot < spots.Length; spot++)
            {
                var (x, y) = spots[spot];
                if (world.SpotTaken[at][spot] || (player.Race == Race.Zerg && !world.Creep.At(x, y)))
                {
                    continue;
                }

                var builder = Builder(world, player, x, y);
                return builder >= 0 && Construction.Order(world, builder, type, at, spot, x, y);
            }
        }

        return false;
    }

    /// <summary>The player's nearest worker that builds nothing, or -1.</summary>
    public static int Builder(GameWorld world, Player player, int x, int y)
    {
        var best = -1;
        var bestDistance = int.MaxValue;
        for (var slot = 0; slot < world.SlotCount; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (unit.Alive && unit.Owner == player.Id && unit.Facts.Is(Kind.Worker)
                && unit.Errand is Errand.Idle or Errand.ToResource or Errand.Mining
                && Geometry.Length(unit.X - x, unit.Y - y) is var distance && distance < bestDistance)
            {
                (best, bestDistance) = (slot, distance);
            }
        }

        return best;
    }

    /// <summary>Whether a building stands or will stand there.</summary>
    public static bool Occupied(GameWorld world, int x, int y)
    {
        for (var slot = 0; slot < world.SlotCount; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (unit.Alive && ((unit.Facts.Is(Kind.Structure) && unit.X == x && unit.Y == y)
                || (unit.Errand == Errand.ToSite && unit.GoalX == x && unit.GoalY == y)) && unit.Facts.Id != 342)
            {
                return true;
            }
        }

        return false;
    }

    private static void PutGas(GameWorld world, Player player, UnitFacts gas)
    {
        for (var i = 0; i < world.Map.Bases.Length; i++)
        {
            foreach (var (x, y) in world.Map.Bases[i].Geysers)
            {
                if (world.BaseOwner[i] == player.Id && !Occupied(world, x, y))
                {
                    var builder = Builder(world, player, x, y);
                    if (builder >= 0)
                    {
                        Construction.Order(world, builder, gas, i, -1, x, y);
                    }

                    return;
                }
            }
        }
    }

    private static void AddOns(GameWorld world, Player player)
    {
        for (var slot = 0; player.Race == Race.Terran && slot < world.SlotCount; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (!unit.Alive || unit.Owner != player.Id || !unit.Finished || unit.AddOn >= 0
                || unit.Facts.Id is not (21 or 27 or 28))
            {
                continue;
            }

            var type = UnitTable.Of(slot % 2 == 0 ? 37 : 38);
            if (!player.Pay(50, type.Id == 37 ? 25 : 50))
            {
                return;
            }

            // An add-on stands two and a half cells to the right of its building, half a cell lower.
            var (x, y) = (unit.X + (5 * Geometry.Cell / 2), unit.Y - (Geometry.Cell / 2));
            var atBase = unit.Base;
            var made = world.Add(type, player.Id, x, y, type.BuildLoops);
            world.Units[made].Base = atBase;
            world.Units[made].AddOn = slot;
            world.Units[slot].AddOn = made;
            return;
        }
    }

    /// <summary>Creep spreads from tumour to tumour; here a new one appears at the edge of the creep.</summary>
    private static void PlantTumor(GameWorld world, Player player)
    {
        var front = world.Map.Bases[Armies.FrontBase(world, player)];
        for (var attempt = 0; attempt < 8; attempt++)
        {
            var x = front.X + ((world.Random(61) - 30) * Geometry.Cell);
            var y = front.Y + ((world.Random(61) - 30) * Geometry.Cell);
            if (x > 0 && y > 0 && x < world.Map.Width * Geometry.Cell && y < world.Map.Height * Geometry.Cell
                && world.Creep.At(x, y) && player.Finished[UnitTable.Of(126).Index] > 0)
            {
                var type = UnitTable.Of(Creep.TumorId);
                world.Add(type, player.Id, x, y, Math.Max(1, type.BuildLoops));
                return;
            }
        }
    }
}
