using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// Buildings are finished, units trained, larvae hatched, upgrades researched; life and energy come back.
/// </summary>
internal static class Production
{
    public const int LarvaId = 151;
    public const int EggId = 103;
    private const int QueenId = 126;
    private const int ZerglingId = 105;
    private const int ReactorId = 38;
    private const int LarvaLoops = 176; // 11 s at normal speed
    private const int EnergyALoop = 9;  // 0.5625 a second at normal speed, in 1/256
    private const int ShieldALoop = 32; // 2 a second
    private const int ZergLifeALoop = 4; // 0.27 a second

    public static void Update(GameWorld world)
    {
        for (var slot = 0; slot < world.SlotCount; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (!unit.Alive || unit.Owner == GameWorld.NeutralOwner)
            {
                continue;
            }

            if (unit.BuildLeft > 0)
            {
                Build(world, ref unit);
                continue;
            }

            Recover(world, ref unit);
            if (unit.Facts.Id == 86)
            {
                SpawnLarva(world, slot, ref unit);
                unit = ref world.Units[slot]; // the array may have grown
            }

            if (unit.Product >= 0 && !unit.Facts.Is(Kind.Worker))
            {
                if (--unit.ProductLeft <= 0)
                {
                    Deliver(world, slot);
                }
            }
            else if (unit.Research >= 0)
            {
                if (--unit.ProductLeft <= 0)
                {
                    FinishResearch(world, ref unit);
                }
            }
        }
    }

    /// <summary>Begins a unit in a building, or of a larva; paid now.</summary>
    /// <returns>False where the store or the supply does not reach.</returns>
    public static bool Train(GameWorld world, int slot, UnitFacts type)
    {
        ref var unit = ref world.Units[slot];
        var player = world.Players[unit.Owner - 1];
        var count = Batch(world, player, ref unit, type);
        var food = type.HalfFood * count;
        if ((food > 0 && player.HalfFoodUsed + food > player.FoodCap * 2)
            || !player.Pay(type.Minerals * count, type.Vespene * count))
        {
            return false;
        }

        if (unit.Facts.Id == LarvaId)
        {
            Become(world, slot, UnitTable.Of(EggId));
        }

        unit.Product = type.Index;
        unit.Batch = count;
        unit.ProductLeft = type.BuildLoops;
        Charge(player, type, count);
        return true;
    }

    /// <summary>Begins an upgrade.</summary>
    public static bool StartResearch(GameWorld world, int slot, int upgrade)
    {
        ref var unit = ref world.Units[slot];
        var player = world.Players[unit.Owner - 1];
        var what = Upgrade.All[upgrade];
        if (!player.Pay(what.Minerals, what.Vespene))
        {
            return false;
        }

        player.Researched.Add(upgrade);
        unit.Research = upgrade;
        unit.ProductLeft = what.Loops;
        return true;
    }

    /// <summary>Takes back what a unit in production counts.</summary>
    public static void Cancel(Player player, int product, int count = 1) =>
        Charge(player, UnitTable.All[product], -count);

    /// <summary>
    /// Zerglings come in pairs; a reactor lets its building make two at once, where the store reaches.
    /// </summary>
    private static int Batch(GameWorld world, Player player, ref Unit maker, UnitFacts type)
    {
        if (type.Id == ZerglingId)
        {
            return 2;
        }

        var reactor = maker.AddOn >= 0 && world.Units[maker.AddOn].Finished
            && world.Units[maker.AddOn].Facts.Id == ReactorId;
        return reactor && player.Minerals >= type.Minerals * 2 && player.Vespene >= type.Vespene * 2
            && player.HalfFoodUsed + (type.HalfFood * 2) <= player.FoodCap * 2 ? 2 : 1;
    }

    private static void Charge(Player player, UnitFacts type, int count)
    {
        player.Count[type.Index] += count;
        player.HalfFoodUsed += type.HalfFood * count;
        player.HalfFoodWorkers += type.Is(Kind.Worker) ? type.HalfFood * count : 0;
    }

    private static void Build(GameWorld world, ref Unit unit)
    {
        var facts = unit.Facts;
        unit.Health = Math.Min(facts.Health * 256, unit.Health + (facts.Health * 256 / 10 * 9 / facts.BuildLoops) + 1);
        unit.Shield = Math.Min(facts.Shield * 256, unit.Shield + (facts.Shield * 256 / facts.BuildLoops) + 1);
        if (--unit.BuildLeft > 0)
        {
            return;
        }

        var player = world.Players[unit.Owner - 1];
        GameWorld.CountFinished(player, facts);
        world.Events.Raise(player.Id, facts.Is(Kind.AddOn) ? Alert.AddOnComplete : Alert.BuildingComplete);
        if (facts.Is(Kind.TownHall) && world.BaseOwner[unit.Base] == 0)
        {
            world.BaseOwner[unit.Base] = player.Id;
        }
    }

    private static void Recover(GameWorld world, ref Unit unit)
    {
        var facts = unit.Facts;
        if (facts.Energy > 0)
        {
            unit.Energy = Math.Min(facts.Energy * 256, unit.Energy + EnergyALoop);
        }

        if (facts.Shield > 0 && unit.Cooldown == 0)
        {
            unit.Shield = Math.Min(facts.Shield * 256, unit.Shield + ShieldALoop);
        }

        if (facts.Race == Race.Zerg)
        {
            unit.Health = Math.Min(facts.Health * 256, unit.Health + ZergLifeALoop);
        }

        if (facts.Is(Kind.Structure) && unit.Product < 0 && unit.Research < 0)
        {
            world.Players[unit.Owner - 1].IdleProduction++;
        }
    }

    private static void Deliver(GameWorld world, int slot)
    {
        ref var unit = ref world.Units[slot];
        var type = UnitTable.All[unit.Product];
        var player = world.Players[unit.Owner - 1];
        var (x, y, owner) = (unit.X, unit.Y, unit.Owner);
        var count = unit.Batch;
        Cancel(player, unit.Product, count);
        unit.Product = -1;
        if (unit.Facts.Id == EggId)
        {
            // The egg becomes the unit and keeps its tag.
            Become(world, slot, type);
            Dispatch(world, slot);
            count--;
        }

        for (var i = 0; i < count; i++)
        {
            var radius = UnitTable.Of(18).Radius;
            var made = world.Add(type, owner, x + ((world.Random(3) - 1) * Geometry.Cell / 2), y - radius);
            Dispatch(world, made);
        }

        world.Events.Raise(owner, type.Is(Kind.Worker) ? Alert.TrainWorkerComplete : Alert.TrainUnitComplete);
    }

    private static void Dispatch(GameWorld world, int slot)
    {
        ref var unit = ref world.Units[slot];
        if (unit.Facts.Id == 106)
        {
            // Overlords spread around their base to look.
            unit.Errand = Errand.Moving;
            unit.GoalX = Math.Clamp(
                unit.X + ((world.Random(41) - 20) * Geometry.Cell), 0, (world.Map.Width - 1) * Geometry.Cell);
            unit.GoalY = Math.Clamp(
                unit.Y + ((world.Random(41) - 20) * Geometry.Cell), 0, (world.Map.Height - 1) * Geometry.Cell);
        }
        else if (!unit.Facts.Is(Kind.Worker | Kind.Structure) && unit.Facts.Id != QueenId)
        {
            Armies.Rally(world, slot);
        }
    }

    /// <summary>Turns a unit into another of the same tag, full of life.</summary>
    private static void Become(GameWorld world, int slot, UnitFacts type)
    {
        ref var unit = ref world.Units[slot];
        var player = world.Players[unit.Owner - 1];
        Charge(player, unit.Facts, -1);
        player.Finished[unit.Type]--;
        unit.Type = type.Index;
        unit.Health = type.Health * 256;
        unit.Energy = type.StartEnergy * 256;
        unit.Errand = Errand.Idle;
        unit.Target = -1;
        Charge(player, type, 1);
        GameWorld.CountFinished(player, type);
    }

    private static void FinishResearch(GameWorld world, ref Unit unit)
    {
        var upgrade = Upgrade.All[unit.Research];
        var player = world.Players[unit.Owner - 1];
        unit.Research = -1;
        player.Upgrades.Add(upgrade.Id);
        player.AttackLevel += upgrade.Attack;
        player.ArmorLevel += upgrade.Armor;
        world.Events.Raise(player.Id, Alert.ResearchComplete);
    }

    private static void SpawnLarva(GameWorld world, int slot, ref Unit hall)
    {
        var player = world.Players[hall.Owner - 1];
        var queens = player.Finished[UnitTable.Of(QueenId).Index];
        if (++hall.Timer < (queens > 0 ? LarvaLoops * 3 / 5 : LarvaLoops))
        {
            return;
        }

        hall.Timer = 0;
        var larvae = player.Count[UnitTable.Of(LarvaId).Index];
        var halls = player.Finished[UnitTable.Of(86).Index];
        if (larvae < halls * (queens > 0 ? 10 : 3))
        {
            var x = hall.X + (((larvae % 7) - 3) * Geometry.Cell / 2);
            world.Add(UnitTable.Of(LarvaId), hall.Owner, x,
                hall.Y - (3 * Geometry.Cell) - (slot % 2 * Geometry.Cell / 2));
            world.Events.Raise(player.Id, Alert.LarvaHatched);
        }
    }
}
