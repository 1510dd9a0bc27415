using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;
using Unit = Sc2Bridge.Simulator.World.Unit;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>Keeps a computer's buildings and larvae at work: army, add-ons, queens, upgrades.</summary>
internal sealed class Trainer(GameWorld world, Player player, Skill skill, Plan plan, Holdings holdings, Hands hands)
{
    private const int Reactor = 6;
    private const int QueenAbility = 1632;

    /// <summary>Makes a unit of a larva, if there is one.</summary>
    public static bool FromLarva(Holdings holdings, Hands hands, UnitType type)
    {
        var larva = holdings.Makers.Find(m =>
            m.Type.Id == Holdings.LarvaId && m.Alive && m.Change is null && m.Orders.Count == 0);
        return larva is not null && hands.Do(larva, type.MadeBy!.Id);
    }

    /// <summary>Makes army before anything else while there is less of it than is safe by now.</summary>
    public void Guard()
    {
        if (skill.Upgrades && player.Researching.Count == 0)
        {
            Research();
        }

        var usual = (Math.Max(0, world.Loop - 4500) * 12 / 1000) + (Math.Max(0, world.Loop - 8500) * 36 / 1000);
        var safe = Math.Max(holdings.Threat * 3 / 2, usual) * skill.BusyPercent / 100;
        for (var tries = 0; tries < 4 && holdings.ArmyFood < safe && TrainNext(); tries++)
        {
        }
    }

    /// <summary>One thought.</summary>
    public void Think()
    {
        if (skill.Upgrades)
        {
            Research();
        }

        AddOns();
        Queens();
        for (var tries = 0; tries < 12 && TrainNext(); tries++)
        {
        }
    }

    private void Research()
    {
        foreach (var id in plan.Upgrades)
        {
            if (player.Upgrades.Contains(id) || player.Researching.Contains(id)
                || TechTree.FindUpgrade(id) is not { } upgrade
                || !hands.Affords(upgrade.Minerals, upgrade.Vespene))
            {
                continue;
            }

            foreach (var maker in holdings.Makers)
            {
                if (maker.Queue.Count == 0 && maker.Change is null && Makes(maker, upgrade.Ability)
                    && hands.Do(maker, upgrade.Ability.Id))
                {
                    break;
                }
            }
        }
    }

    private void AddOns()
    {
        foreach (var maker in holdings.Makers)
        {
            if (!maker.Type.Is(Kind.TakesAddOn) || maker.AddOn is not null || maker.Queue.Count > 0
                || maker.Orders.Count > 0
                || !hands.Affords(50, 50))
            {
                continue;
            }

            // Every other barracks and starport gets a reactor, the rest tech labs.
            var reactor = maker.Type.Id != 27 && (maker.Tag >> 18) % 2 == 0;
            foreach (var ability in maker.Type.Abilities)
            {
                if (ability.Ability.Makes == Facts.Makes.AddOn
                    && TechTree.Unit(ability.Ability.Product).CountsAs(Reactor) == reactor
                    && hands.Do(maker, ability.Ability.Id))
                {
                    break;
                }
            }
        }
    }

    private void Queens()
    {
        if (player.Race != Race.Zerg
            || holdings.CountOf(TechTree.Unit(Holdings.QueenId)) >= Math.Min(holdings.Halls.Count + 2, 9))
        {
            return;
        }

        var hall = holdings.Halls.Find(h => h.Queue.Count == 0 && h.Change is null);
        if (hall is not null && hands.Affords(150, 0))
        {
            hands.Do(hall, QueenAbility);
        }
    }

    // The type of which most is missing that there is gas for; false when nothing can be made, or it must be saved for.
    private bool TrainNext()
    {
        if (holdings.ArmyFood >= skill.ArmyFood || world.Random(100) >= skill.BusyPercent)
        {
            return false;
        }

        var total = plan.Army.Sum(w => w.Weight);
        Unit? maker = null;
        UnitType? choice = null;
        var mostMissing = long.MinValue;
        foreach (var wanted in plan.Army)
        {
            var type = TechTree.Unit(wanted.Type);
            var missing = ((long)(holdings.ArmyFood + 20) * wanted.Weight / total)
                - (holdings.CountOf(type) * type.HalfFood);
            if (missing > mostMissing && hands.Affords(0, type.Vespene) && Allowed(type) && MakerOf(type) is { } found)
            {
                (maker, choice, mostMissing) = (found, type, missing);
            }
        }

        if (maker is null)
        {
            return false;
        }

        if (!hands.Affords(choice!.Minerals, choice.Vespene))
        {
            hands.SaveFor(choice.Minerals, choice.Vespene);
            return false;
        }

        if (!hands.Do(maker, AbilityFor(maker, choice)!.Id))
        {
            return false;
        }

        holdings.Expect(choice);
        return true;
    }

    private bool Allowed(UnitType type) =>
        player.HalfFoodUsed + type.HalfFood + (player.FoodCap < 200 ? 0 : KeptForWorkers()) <= player.FoodCap * 2
        && (type.TechRequirement == 0 || type.RequiresAttached || player.Has(type.TechRequirement));

    // With all the supply there can be, an army must leave room for the workers that feed it.
    private int KeptForWorkers() =>
        2 * Math.Max(0, Math.Min(skill.Workers - 8, holdings.Halls.Count * 16) - holdings.Workers.Count);

    private Unit? MakerOf(UnitType type)
    {
        foreach (var maker in holdings.Makers)
        {
            var room = maker.AddOn?.Type.CountsAs(Reactor) == true ? 2 : 1;
            if (maker.Alive && maker.Queue.Count < room && maker.Change is null && maker.Orders.Count == 0
                && AbilityFor(maker, type) is not null && !(type.RequiresAttached && room == 2)
                && !(type.RequiresAttached && maker.AddOn is not { Finished: true }))
            {
                return maker;
            }
        }

        return null;
    }

    private static Ability? AbilityFor(Unit maker, UnitType type)
    {
        foreach (var ability in maker.Type.Abilities)
        {
            if (ability.Ability.Makes is Facts.Makes.Train or Facts.Makes.Morph && ability.Ability.Product == type.Id)
            {
                return ability.Ability;
            }
        }

        return null;
    }

    private static bool Makes(Unit maker, Ability ability)
    {
        foreach (var own in maker.Type.Abilities)
        {
            if (own.Ability.Id == ability.Id)
            {
                return true;
            }
        }

        return false;
    }
}
