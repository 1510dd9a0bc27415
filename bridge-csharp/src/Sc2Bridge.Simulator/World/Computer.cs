using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// A built-in computer player: supply, workers, bases, buildings, upgrades and an army, in that order.
/// </summary>
internal static class Computer
{
    private const int SpareOverlords = 34;

    public static void Update(GameWorld world, Player player)
    {
        var skill = Skill.Of(player.Difficulty);
        if (player.Result is not null || world.Loop % skill.Period != player.Id)
        {
            return;
        }

        var plan = BuildPlan.Of(player.Race);
        var workers = player.Count[WorldSetup.WorkerOf(player.Race).Index];
        var halls = Halls(player);
        Supply(world, player, plan);
        var saving = Expand(world, player, skill, workers, halls)
            || Buildings.Follow(world, player, plan, workers, halls);
        Produce(world, player, plan, skill, workers, halls, saving);
        Research(world, player);
        Waves.Update(world, player);
        if (world.Loop <= skill.Period * 2)
        {
            world.Events.Chat.Add((player.Id, "glhf"));
        }
    }

    private static int Halls(Player player) =>
        player.Count[WorldSetup.TownHallOf(player.Race).Index];

    private static void Supply(GameWorld world, Player player, BuildPlan plan)
    {
        var supply = UnitTable.Of(plan.Supply);
        var onTheWay = (player.Count[supply.Index] - player.Finished[supply.Index]) * supply.FoodProvided;
        var margin = 4 + (player.HalfFoodUsed / 12);
        if (player.Race == Race.Zerg && player.HalfFoodUsed > 360 && player.Count[supply.Index] < SpareOverlords)
        {
            // Overlords die easily: some are kept to spare.
            Train(world, player, supply, Production.LarvaId, 1);
        }

        if (player.FoodCap >= 200 || (player.HalfFoodUsed / 2) + margin <= player.FoodCap + onTheWay)
        {
            return;
        }

        if (player.Race == Race.Zerg)
        {
            Train(world, player, supply, Production.LarvaId, 1 + (margin / 10));
        }
        else
        {
            Buildings.Put(world, player, supply);
        }
    }

    /// <returns>Whether it saves for a base.</returns>
    private static bool Expand(GameWorld world, Player player, Skill skill, int workers, int halls)
    {
        if (halls >= skill.Bases || workers < Math.Min(halls * 17, skill.Workers - 4))
        {
            return false;
        }

        var hall = WorldSetup.TownHallOf(player.Race);
        var best = -1;
        var bestWay = int.MaxValue;
        for (var i = 0; i < world.Map.Bases.Length; i++)
        {
            var b = world.Map.Bases[i];
            var way = world.Map.DistanceToBase(player.StartBase, world.Map.CellAt(b.X, b.Y));
            if (world.BaseOwner[i] == 0 && way < bestWay && !world.Map.Starts.Contains(i)
                && !Buildings.Occupied(world, b.X, b.Y))
            {
                (best, bestWay) = (i, way);
            }
        }

        if (best < 0 || player.Count[hall.Index] > player.Finished[hall.Index])
        {
            return false;
        }

        var place = world.Map.Bases[best];
        var builder = Buildings.Builder(world, player, place.X, place.Y);
        return builder >= 0 && !Construction.Order(world, builder, hall, best, -1, place.X, place.Y);
    }

    private static void Produce(
        GameWorld world, Player player, BuildPlan plan, Skill skill, int workers, int halls, bool saving)
    {
        var worker = WorldSetup.WorkerOf(player.Race);
        var wanted = Math.Min(skill.Workers, halls * 22) - workers;
        var from = player.Race == Race.Zerg ? Production.LarvaId : WorldSetup.TownHallOf(player.Race).Id;
        Train(world, player, worker, from, Math.Min(wanted, player.Race == Race.Zerg ? 3 : halls));
        if (saving || player.HalfFoodUsed - player.HalfFoodWorkers >= skill.HalfArmy)
        {
            return;
        }

        // The unit whose share is least filled comes first.
        foreach (var (type, maker, needs, share) in plan.Army.OrderBy(
            a => player.Count[UnitTable.Of(a.Type).Index] * 1000 / a.Share))
        {
            if (player.Finished[UnitTable.Of(needs).Index] > 0 && player.Count[UnitTable.Of(type).Index] < share * 2)
            {
                Train(world, player, UnitTable.Of(type), maker, 8);
            }
        }
    }

    private static void Train(GameWorld world, Player player, UnitFacts type, int from, int most)
    {
        for (var slot = 0; slot < world.SlotCount && most > 0; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (unit.Alive && unit.Owner == player.Id && unit.Finished && unit.Product < 0 && unit.Research < 0
                && unit.Facts.Id == from)
            {
                if (!Production.Train(world, slot, type))
                {
                    return;
                }

                most--;
            }
        }
    }

    private static void Research(GameWorld world, Player player)
    {
        for (var i = 0; i < Upgrade.All.Length; i++)
        {
            var upgrade = Upgrade.All[i];
            if (upgrade.Race != player.Race || player.Researched.Contains(i)
                || player.Finished[UnitTable.Of(upgrade.Where).Index] == 0)
            {
                continue;
            }

            for (var slot = 0; slot < world.SlotCount; slot++)
            {
                ref var unit = ref world.Units[slot];
                if (unit.Alive && unit.Owner == player.Id && unit.Facts.Id == upgrade.Where && unit.Finished
                    && unit.Research < 0)
                {
                    Production.StartResearch(world, slot, i);
                    return;
                }
            }
        }
    }
}
