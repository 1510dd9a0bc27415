using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;
using Unit = Sc2Bridge.Simulator.World.Unit;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>Keeps a computer's workers busy, its supply ahead, its gas taken, and builds what its plan wants.</summary>
internal sealed class Economist(
    GameWorld world, Player player, Skill skill, Plan plan, Holdings holdings, Hands hands, Builder builder)
{
    private const int Gather = 3666;
    private const int GasToSpare = 600;
    private const int Full = 360;
    private const int Rich = 900;

    // What a worker brings while another walks to a new base.
    private const int WalkIncome = 7;

    // Spare buildings leave this for the army.
    private const int KeptBack = 150;
    private const int LarvaToOverlord = 1344;
    private readonly UnitType _worker = WorldSetup.WorkerOf(player.Race);
    private readonly UnitType _hall = WorldSetup.TownHallOf(player.Race);
    private readonly UnitType _supply = TechTree.Unit(plan.Supply);
    private readonly UnitType _refinery = TechTree.Unit(plan.Refinery);

    /// <summary>One thought.</summary>
    public void Think()
    {
        SendToWork();
        KeepSupply();
        MakeWorkers();
        TakeGas();
        Expand();
        MorphHalls();
        BuildWhatIsPlanned();
    }

    /// <summary>What a player does with minerals it has no better use for: supply to lose, defences.</summary>
    public void SpendTheRest()
    {
        if (player.HalfFoodUsed < Full && player.Minerals < Rich)
        {
            return;
        }

        foreach (var wanted in plan.Spare)
        {
            var type = TechTree.Unit(wanted.Type);
            if (Bases >= Math.Min(wanted.Bases, skill.Bases) && holdings.CountAs(wanted.Type) < wanted.Count
                && (type.TechRequirement == 0 || player.Has(type.TechRequirement))
                && hands.Affords(type.Minerals + KeptBack, type.Vespene)
                && (type.MadeBy!.Id == LarvaToOverlord
                    ? Trainer.FromLarva(holdings, hands, type)
                    : builder.Build(type)))
            {
                return;
            }
        }
    }

    private int Bases => holdings.Halls.Count + holdings.NewHalls.Count;

    private void SendToWork()
    {
        foreach (var refinery in holdings.Refineries)
        {
            if (player.Vespene > GasToSpare && refinery.Harvesters > 1)
            {
                // More than it can spend: one at a time goes back to minerals.
                var miner = holdings.Workers.Find(w => ReferenceEquals(w.Order?.Target, refinery) && w.Present);
                if (miner is not null && Field(miner) is { } field)
                {
                    hands.Do(miner, Gather, field);
                }
            }
            else if (refinery.Harvesters < 3 && player.Vespene < GasToSpare / 2 && holdings.Workers.Count > 12
                && builder.WorkerNear(refinery.X, refinery.Y) is { } worker)
            {
                hands.Do(worker, Gather, refinery);
            }
        }

        foreach (var worker in holdings.Workers)
        {
            if (worker.Orders.Count == 0 && !ReferenceEquals(worker, builder.Pioneer) && Field(worker) is { } field)
            {
                hands.Do(worker, Gather, field);
            }
        }

        Balance();
    }

    // From a town hall with more workers than it can use to one with fewer, one at a thought.
    private void Balance()
    {
        var full = holdings.Halls.Find(h => h.Harvesters > h.IdealHarvesters + 1);
        var free = holdings.Halls.Find(h => h.Harvesters < h.IdealHarvesters - 1);
        if (full is not null && free is not null && builder.WorkerNear(full.X, full.Y) is { } worker
            && Holdings.MineralOf(world, free) is { } field)
        {
            hands.Do(worker, Gather, field);
        }
    }

    private Unit? Field(Unit worker)
    {
        var hall = holdings.Halls.Find(h => h.Harvesters < h.IdealHarvesters)
            ?? holdings.Halls.MinBy(h => Geometry.Length(h.X - worker.X, h.Y - worker.Y));
        return hall is null ? null : Holdings.MineralOf(world, hall);
    }

    private void KeepSupply()
    {
        var halves = player.FoodCap * 2;
        foreach (var unit in holdings.NewHalls)
        {
            halves += unit.BuildLeft < _supply.BuildLoops ? unit.Type.FoodProvided * 2 : 0;
        }

        var coming = holdings.CountOf(_supply) - player.Finished[_supply.Index];
        halves += coming * _supply.FoodProvided * 2;
        // More producers and more income use supply up faster while it is being built.
        var margin = 2 + (Bases * 6) + (player.HalfFoodUsed / 10);
        if (halves >= 400 || halves - player.HalfFoodUsed > margin || coming >= 2 + Bases)
        {
            return;
        }

        if (!hands.Affords(_supply.Minerals, 0))
        {
            hands.SaveFor(_supply.Minerals, 0);
        }
        else if (player.Race == Race.Zerg)
        {
            Trainer.FromLarva(holdings, hands, _supply);
        }
        else
        {
            builder.Build(_supply);
        }
    }

    private void MakeWorkers()
    {
        var wanted = Math.Min(skill.Workers, (Bases * 16) + (holdings.RefineryCount * 3) + 2);
        var missing = wanted - holdings.CountOf(_worker);
        foreach (var hall in holdings.Halls)
        {
            if (missing <= 0 || !hands.Affords(_worker.Minerals, 0))
            {
                return;
            }

            if (player.Race == Race.Zerg)
            {
                missing -= Trainer.FromLarva(holdings, hands, _worker) ? 1 : 0;
            }
            else if (hall.Queue.Count < 2 && hall.Change is null)
            {
                missing -= hands.Do(hall, _worker.MadeBy!.Id) ? 1 : 0;
            }
        }
    }

    private void TakeGas()
    {
        var wanted = holdings.Workers.Count < 16 ? 0 : Math.Min(Bases * 2, 1 + ((holdings.Workers.Count - 16) / 10));
        if (holdings.CountAs(plan.Refinery) < wanted && player.Vespene < GasToSpare
            && hands.Affords(_refinery.Minerals, 0))
        {
            builder.BuildRefinery(_refinery);
        }
    }

    private void Expand()
    {
        var price = player.Race == Race.Zerg ? _hall.Minerals - 50 : _hall.Minerals;
        var ordered = holdings.CountOf(_hall) - player.Count[_hall.Index];
        var full = holdings.Workers.Count >= Bases * 12 || holdings.Halls.Sum(h => h.IdealHarvesters) < 16;
        var rich = player.Minerals > Rich;
        if (Bases + ordered >= skill.Bases || holdings.NewHalls.Count + ordered > (rich ? 1 : 0) || !(full || rich))
        {
            return;
        }

        if (!hands.Affords(price, 0))
        {
            if (hands.Affords(price - (holdings.Workers.Count * WalkIncome), 0))
            {
                builder.SendAhead(_hall);
            }

            hands.SaveFor(price, 0);
        }
        else
        {
            builder.Expand(_hall);
        }
    }

    private void BuildWhatIsPlanned()
    {
        foreach (var wanted in plan.Buildings)
        {
            var type = TechTree.Unit(wanted.Type);
            if (Bases < Math.Min(wanted.Bases, skill.Bases)
                || holdings.Workers.Count < Math.Min(wanted.Workers, skill.Workers)
                || holdings.CountAs(wanted.Type) >= wanted.Count
                || (type.TechRequirement != 0 && !player.Has(type.TechRequirement)))
            {
                continue;
            }

            var price = player.Race == Race.Zerg ? type.Minerals - 50 : type.Minerals;
            if (!hands.Affords(price, type.Vespene))
            {
                // One thing is saved for at a time: the rest goes on.
                hands.SaveFor(price, type.Vespene);
                return;
            }

            builder.Build(type);
            return;
        }
    }

    private void MorphHalls()
    {
        foreach (var (from, ability, bases) in plan.Morphs)
        {
            var into = TechTree.Unit(TechTree.Ability(ability).Product);
            var several = from == 18;
            if (Bases < bases || (!several && holdings.CountAs(into.Id) > 0))
            {
                continue;
            }

            var hall = holdings.Halls.Find(h => h.Type.Id == from && h.Change is null);
            var (minerals, vespene) = (
                into.Minerals - TechTree.Unit(from).Minerals, into.Vespene - TechTree.Unit(from).Vespene);
            if (hall is not null && hands.Affords(minerals, vespene))
            {
                hands.Do(hall, ability);
            }
        }
    }
}
