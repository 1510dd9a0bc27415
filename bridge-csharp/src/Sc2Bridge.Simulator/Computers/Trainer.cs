using SC2APIProtocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>Keeps a computer's buildings and larvae busy: army, add-ons, queens, upgrades.</summary>
internal sealed class Trainer(GameWorld world, Player player, Skill skill, Plan plan, UnitInventory inventory, CommandIssuer issuer) : Copyable
{
    // If the attackers are stronger than the army, its limit is this, in halves of supply: 6 stalkers and 4 zealots, 8 marines and
    // 4 marauders, or similar (MeleeAI.galaxy, *BasicDefenseStock). AINeedsDefending requires a margin of 80 minerals.
    private const int Emergency = 40;
    private const int Margin = 3;

    /// <summary>Orders a unit from a larva, if there is a larva.</summary>
    public static bool FromLarva(UnitInventory inventory, CommandIssuer issuer, UnitType type)
    {
        var larva = inventory.Makers.Find(m =>
            m.Type.Id == UnitId.Larva && m.Alive && m.Change is null && m.Orders.Count == 0);
        return larva is not null && issuer.Do(larva, type.MadeBy!.Id);
    }

    /// <summary>Trains army units before anything else if the army is smaller than the safe size for this time.</summary>
    public void Guard()
    {
        if (skill.Upgrades && player.Researching.Count == 0)
        {
            Research();
        }

        Queens();
        AddOns();
        var usual = (Math.Max(0, world.Loop - 4500) * 18 / 1000) + (Math.Max(0, world.Loop - 8500) * 42 / 1000);
        var safe = Math.Max(inventory.Threat * 3 / 2, usual) * skill.BusyPercent / 100;
        var most = Math.Max(Now.ArmyFood, inventory.Threat > inventory.ArmyFood + Margin ? Emergency : 0);
        for (var tries = 0; tries < 4 && inventory.ArmyFood < safe && TrainNext(most); tries++)
        {
        }
    }

    public void Think()
    {
        if (skill.Upgrades)
        {
            Research();
        }

        for (var tries = 0; tries < 12 && TrainNext(Now.ArmyFood); tries++)
        {
        }
    }

    private Phase Now => skill.At(world.Loop);

    private int QueenCount => inventory.CountOf(TechTree.Unit(UnitId.Queen));

    private void Research()
    {
        foreach (var id in plan.Upgrades)
        {
            if (player.Upgrades.Contains(id) || player.Researching.Contains(id)
                || TechTree.FindUpgrade(id) is not { } upgrade
                || !issuer.Affords(upgrade.Minerals, upgrade.Vespene))
            {
                continue;
            }

            foreach (var maker in inventory.Makers)
            {
                if (maker.Queue.Count == 0 && maker.Change is null && maker.Type.AbilityOf(upgrade.Ability.Id) is not null
                    && issuer.Do(maker, upgrade.Ability.Id))
                {
                    break;
                }
            }
        }
    }

    private void AddOns()
    {
        foreach (var maker in inventory.Makers)
        {
            if (!maker.Type.Is(Kind.TakesAddOn) || maker.AddOn is not null || maker.Queue.Count > 0
                || maker.Orders.Count > 0)
            {
                continue;
            }

            // Every other barracks and starport gets a reactor. All other buildings get tech labs.
            var reactor = maker.Type.Id != UnitId.Factory && (maker.Tag >> 18) % 2 == 0;
            foreach (var ability in maker.Type.Abilities)
            {
                if (ability.Ability.Makes == Makes.AddOn
                    && TechTree.Unit(ability.Ability.Product).CountsAs(UnitId.Reactor) == reactor
                    && issuer.Affords(Prices.Of(ability.Ability, maker.Type))
                    && issuer.Do(maker, ability.Ability.Id))
                {
                    break;
                }
            }
        }
    }

    private void Queens()
    {
        if (player.Race != Race.Zerg
            || QueenCount >= Math.Min(inventory.Halls.Count + 2, skill.Queens))
        {
            return;
        }

        var hall = inventory.Halls.Find(h => h.Queue.Count == 0 && h.Change is null);
        if (hall is null || !player.Has(UnitId.SpawningPool))
        {
            return;
        }

        var price = Prices.Of(TechTree.Ability(AbilityId.TrainQueen), hall.Type);
        if (issuer.Affords(price))
        {
            issuer.Do(hall, AbilityId.TrainQueen);
        }
        else if (!inventory.Makers.Exists(m => m.Type.Id == UnitId.Larva))
        {
            issuer.SaveFor(price);
        }
    }

    // Trains the type that is furthest below its share, if there is enough gas. Returns false if it cannot, or must save minerals first.
    private bool TrainNext(int most)
    {
        if (inventory.WarriorFood >= most || world.Random(100) >= skill.BusyPercent)
        {
            return false;
        }

        var total = plan.Army.Sum(w => w.Weight);
        (Unit Maker, Ability Ability)? choice = null;
        UnitType? missed = null;
        var mostMissing = long.MinValue;
        foreach (var wanted in plan.Army)
        {
            var type = wanted.Type;
            var missing = ((long)(inventory.ArmyFood + 20) * wanted.Weight / total)
                - (inventory.CountOf(type) * type.HalfFood);
            if (missing > mostMissing && issuer.Affords(0, type.Vespene) && HasRoom(type) && MakerOf(type) is { } found)
            {
                (choice, missed, mostMissing) = (found, type, missing);
            }
        }

        if (choice is not var (maker, ability))
        {
            return false;
        }

        var price = Prices.Of(ability, maker.Type);
        if (!issuer.Affords(price))
        {
            issuer.SaveFor(price);
            return false;
        }

        if (!issuer.Do(maker, ability.Id))
        {
            return false;
        }

        inventory.Expect(missed!, Prices.CountOf(maker.Type, missed!));
        return true;
    }

    private bool HasRoom(UnitType type) =>
        player.HalfFoodUsed + type.HalfFood + (player.FoodCap < 200 ? 0 : KeptForWorkers()) <= player.FoodCap * 2;

    // At the maximum supply, the army must leave room for workers.
    private int KeptForWorkers() =>
        2 * Math.Max(0, Math.Min(Now.Workers - 8, inventory.Halls.Count * 16) - inventory.Workers.Count);

    private (Unit Maker, Ability Ability)? MakerOf(UnitType type)
    {
        foreach (var maker in inventory.Makers)
        {
            var places = Production.HasReactor(maker) ? 2 : 1;
            if (maker.Alive && maker.Queue.Count < places && maker.Change is null && maker.Orders.Count == 0)
            {
                foreach (var own in maker.Type.Abilities)
                {
                    if (own.Ability.Product == type.Id && own.Ability.Makes is Makes.Train or Makes.Morph
                        && Requirements.Met(player, maker, own))
                    {
                        return (maker, own.Ability);
                    }
                }
            }
        }

        return null;
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies) => (world, player, inventory, issuer) =
            (copies.Of(world), copies.Of(player), copies.Of(inventory), copies.Of(issuer));
}
