using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Buildings work off their queues, and what grows by itself grows.</summary>
internal static class Production
{
    private static readonly bool[] Makers = [.. TechTree.Units.Select(u =>
        u.Is(Kind.Structure) && u.Abilities.Any(a => a.Ability.Makes == Makes.Train))];

    /// <summary>One loop.</summary>
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

    /// <summary>How many products a building's queue takes.</summary>
    public static int Room(Unit unit) => HasReactor(unit) ? 8 : 5;

    /// <summary>Puts a product in a queue, and takes what it costs: whether it may be was asked before.</summary>
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

    /// <summary>Takes a product out of a queue; all that was paid comes back.</summary>
    public static void Dequeue(GameWorld world, Unit unit, int index)
    {
        var product = unit.Queue[index];
        unit.Queue.RemoveAt(index);
        LetGo(world, unit, product);
        world.PlayerOf(unit.Owner).Refund(product.Paid.Minerals, product.Paid.Vespene);
    }

    /// <summary>Drops what a unit that leaves the world was making; nothing is refunded.</summary>
    public static void Abandon(GameWorld world, Unit unit)
    {
        if (unit.Owner == GameWorld.Neutral)
        {
            return;
        }

        foreach (var product in unit.Queue)
        {
            LetGo(world, unit, product);
        }

        unit.Queue.Clear();
        Supply.Hold(world, unit, -unit.HeldFood);
    }

    private static void LetGo(GameWorld world, Unit unit, Product product)
    {
        if (product.Ability.Makes == Makes.Research)
        {
            world.PlayerOf(unit.Owner).Researching.Remove(product.Ability.Product);
        }
        else if (product.Started)
        {
            Supply.Hold(world, unit, -TechTree.Unit(product.Ability.Product).HalfFood);
        }
    }

    /// <summary>Whether a building makes two at a time.</summary>
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

    // Supply is held when the work begins; without it the product waits.
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

        Supply.Hold(world, unit, food);
        return product.Started = true;
    }

    private static void Complete(GameWorld world, Unit unit, Product product)
    {
        var player = world.PlayerOf(unit.Owner);
        var events = world.EventsOf(unit.Owner);
        LetGo(world, unit, product);
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
        Rallying.Leave(world, unit, type);
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
