using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Works through buildings' queues, and lets units grow that need no worker.</summary>
internal static class Production
{
    private static readonly bool[] Makers = [.. TechTree.Units.Select(u =>
        u.Is(Kind.Structure) && u.Abilities.Any(a => a.Ability.Makes == Makes.Train))];

    public static void Update(GameWorld world)
    {
        for (var i = 0; i < world.Units.Count; i++)
        {
            var unit = world.Units[i];
            if (!unit.Alive || unit.Owner == GameWorld.Neutral)
            {
                continue;
            }

            if (!unit.Finished)
            {
                if (Growth.ByItself(unit))
                {
                    Growth.Loop(world, unit);
                }
            }
            else if (unit.Queue.Count > 0)
            {
                Work(world, unit);
            }
            else
            {
                Idle(world, unit);
            }
        }
    }

    /// <summary>The maximum number of products in a building's queue.</summary>
    public static int Room(Unit unit) => HasReactor(unit) ? 8 : 5;

    /// <summary>Adds a product to a queue and pays for it. The caller has checked that this is possible.</summary>
    public static void Enqueue(GameWorld world, Unit unit, Ability ability)
    {
        var player = world.PlayerOf(unit.Owner);
        var price = Prices.Of(ability, unit.Type);
        player.Pay(price.Minerals, price.Vespene);
        unit.Queue.Add(new Product(ability, price, Prices.LoopsFor(player, price.Loops)));
        if (ability.Makes == Makes.Research)
        {
            player.Researching.Add(ability.Product);
        }
    }

    /// <summary>Removes a product from a queue and refunds its full price.</summary>
    public static void Dequeue(GameWorld world, Unit unit, int index)
    {
        var product = unit.Queue[index];
        unit.Queue.RemoveAt(index);
        Release(world, unit, product);
        world.PlayerOf(unit.Owner).Refund(product.Paid.Minerals, product.Paid.Vespene);
    }

    /// <summary>Clears the queue of a unit that leaves the world, without a refund.</summary>
    public static void Abandon(GameWorld world, Unit unit)
    {
        if (unit.Owner == GameWorld.Neutral)
        {
            return;
        }

        foreach (var product in unit.Queue)
        {
            Release(world, unit, product);
        }

        unit.Queue.Clear();
        Supply.Reserve(world, unit, -unit.HeldFood);
    }

    private static void Release(GameWorld world, Unit unit, Product product)
    {
        if (product.Ability.Makes == Makes.Research)
        {
            world.PlayerOf(unit.Owner).Researching.Remove(product.Ability.Product);
        }
        else if (product.Started)
        {
            Supply.Reserve(world, unit, -TechTree.Unit(product.Ability.Product).HalfFood);
        }
    }

    /// <summary>Whether a building produces two units at a time.</summary>
    public static bool HasReactor(Unit unit) => unit.AddOn is { Finished: true } other && other.Type.CountsAs(UnitId.Reactor);

    private static void Work(GameWorld world, Unit unit)
    {
        if ((unit.Type.Is(Kind.NeedsPower) && !unit.Powered) || Buffs.Has(unit, BuffId.Contaminated))
        {
            return;
        }

        var loops = 1 + (world.Loop % 2 == 0 && Buffs.Has(unit, BuffId.ChronoBoostEnergyCost) ? 1 : 0);
        var places = HasReactor(unit) ? 2 : 1;
        for (var i = 0; i < places && i < unit.Queue.Count; i++)
        {
            var product = unit.Queue[i];
            if (!Start(world, unit, product))
            {
                continue;
            }

            product.Left -= loops;
            if (product.Left <= 0)
            {
                unit.Queue.RemoveAt(i--);
                places--;
                Complete(world, unit, product);
            }
        }
    }

    // Supply is reserved when the work begins. The product waits until there is enough.
    private static bool Start(GameWorld world, Unit unit, Product product)
    {
        if (product.Started || product.Ability.Makes == Makes.Research)
        {
            return true;
        }

        var food = TechTree.Unit(product.Ability.Product).HalfFood;
        if (Supply.Check(world.PlayerOf(unit.Owner), food) != ActionResult.Success)
        {
            return false;
        }

        Supply.Reserve(world, unit, food);
        return product.Started = true;
    }

    private static void Complete(GameWorld world, Unit unit, Product product)
    {
        var player = world.PlayerOf(unit.Owner);
        var events = world.EventsOf(unit.Owner);
        Release(world, unit, product);
        if (product.Ability.Makes == Makes.Research)
        {
            Upgrades.Gain(world, player, product.Ability.Product);
            var name = TechTree.FindUpgrade(product.Ability.Product)?.Name ?? "";
            var level = name.Contains("Level", StringComparison.Ordinal);
            events.Raise(level ? Alert.UpgradeComplete : Alert.ResearchComplete);
            return;
        }

        var type = TechTree.Unit(product.Ability.Product);
        events.Raise(type.Is(Kind.Worker) ? Alert.TrainWorkerComplete
            : type.Id == UnitId.Mothership ? Alert.MothershipComplete
            : Alert.TrainUnitComplete);
        Rallying.Create(world, unit, type);
    }

    private static void Idle(GameWorld world, Unit unit)
    {
        if (unit.Change is not null || unit.Orders.Count > 0)
        {
            return;
        }

        var player = world.PlayerOf(unit.Owner);
        if (Makers[unit.Type.Index])
        {
            player.Score.IdleProduction++;
        }
        else if (unit.Type.Is(Kind.Worker))
        {
            player.Score.IdleWorkers++;
        }

        if (unit.Type.Id == UnitId.Gateway && unit.Autocast.Contains(AbilityId.MorphWarpGate)
            && player.Upgrades.Contains(UpgradeId.WarpGateResearch))
        {
            Morphs.Start(world, unit, new Order(TechTree.Ability(AbilityId.MorphWarpGate)));
        }
    }
}
