using SC2APIProtocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>Keeps a computer's workers busy, provides supply, takes gas, expands, and builds the buildings of its plan.</summary>
internal sealed class Economist(
    GameWorld world, Player player, Skill skill, Plan plan, UnitInventory inventory, CommandIssuer issuer, Builder builder) : Copyable
{
    private const int GasToSpare = 600;
    private const int Rich = 900;

    // Minerals that a worker collects while another one walks to a new base.
    private const int WalkIncome = 7;

    // Spending on additional production leaves this many minerals for the army.
    private const int KeptBack = 200;

    // A computer with fewer workers does not expand (TerranMacroExpand of MeleeLowAI.galaxy).
    private const int FewestToExpand = 14;
    private readonly UnitType _worker = WorldSetup.WorkerOf(player.Race);
    private readonly UnitType _hall = WorldSetup.TownHallOf(player.Race);
    private readonly UnitType _supply = plan.Supply;
    private readonly UnitType _refinery = plan.Refinery;
    private Unit? _next;
    private int _mostWorkers;

    public void Think()
    {
        SendToWork();
        KeepSupply();
        MorphHalls();
        MakeWorkers();
        TakeGas();
        Expand();
        BuildWhatIsPlanned();
    }

    /// <summary>Spends minerals that nothing else needs on more production.</summary>
    public void SpendTheRest()
    {
        if (skill.IsScripted)
        {
            return;
        }

        foreach (var wanted in plan.Production)
        {
            var type = wanted.Type;
            if (Bases >= Math.Min(wanted.Bases, Now.Bases) && inventory.CountAs(type.Id) < wanted.Count
                && (type.TechRequirement == 0 || player.Has(type.TechRequirement))
                && PriceOf(type) is var price && issuer.Affords(price.Minerals + KeptBack, price.Vespene)
                && builder.Build(type))
            {
                return;
            }
        }
    }

    // Workers build everything, except units that larvae morph into. These cost the same.
    private Price PriceOf(UnitType type) => Prices.Of(
        type.MadeBy!, type.MadeBy!.Makes == Makes.Morph ? TechTree.Unit(UnitId.Larva) : _worker);

    private Phase Now => skill.At(world.Loop);

    private int Bases => inventory.Halls.Count + inventory.NewHalls.Count;

    private void SendToWork()
    {
        foreach (var refinery in inventory.Refineries)
        {
            if (player.Vespene > GasToSpare && refinery.Harvesters > 1)
            {
                // There is more gas than it can spend. One worker at a time goes back to minerals.
                var miner = inventory.Workers.Find(w => ReferenceEquals(w.Order?.Target, refinery) && w.Present);
                if (miner is not null && Field(miner) is { } field)
                {
                    issuer.Do(miner, AbilityId.HarvestGather, field);
                }
            }
            else if (refinery.Harvesters < 3 && player.Vespene < GasToSpare / 2 && inventory.Workers.Count > 12
                && builder.WorkerNear(refinery.X, refinery.Y) is { } worker)
            {
                issuer.Do(worker, AbilityId.HarvestGather, refinery);
            }
        }

        foreach (var worker in inventory.Workers)
        {
            if (worker.Orders.Count == 0 && !ReferenceEquals(worker, builder.Pioneer) && Field(worker) is { } field)
            {
                issuer.Do(worker, AbilityId.HarvestGather, field);
            }
        }

        Balance();
    }

    // Moves one worker at a time from a town hall with too many workers to one with too few.
    private void Balance()
    {
        var full = inventory.Halls.Find(h => h.Harvesters > h.IdealHarvesters + 1);
        var free = inventory.Halls.Find(h => h.Harvesters < h.IdealHarvesters - 1);
        if (full is not null && free is not null && builder.WorkerNear(full.X, full.Y) is { } worker
            && UnitInventory.MineralOf(world, free) is { } field)
        {
            issuer.Do(worker, AbilityId.HarvestGather, field);
        }
    }

    private Unit? Field(Unit worker)
    {
        var hall = inventory.Halls.Find(h => h.Harvesters < h.IdealHarvesters)
            ?? inventory.Halls.MinBy(h => Geometry.Length(h.X - worker.X, h.Y - worker.Y));
        return hall is null ? null : UnitInventory.MineralOf(world, hall);
    }

    private void KeepSupply()
    {
        var halves = player.FoodCap * 2;
        foreach (var unit in inventory.NewHalls)
        {
            halves += unit.BuildLeft < _supply.BuildLoops ? unit.Type.FoodProvided * 2 : 0;
        }

        var coming = inventory.CountOf(_supply) - player.Finished[_supply.Index];
        halves += coming * _supply.FoodProvided * 2;
        // More production and more income use up more supply while a supply building is under construction.
        var margin = 2 + (Bases * 6) + (player.HalfFoodUsed / 10);
        if (halves >= 400 || halves - player.HalfFoodUsed > margin || coming >= 2 + Bases)
        {
            return;
        }

        if (!issuer.Affords(PriceOf(_supply)))
        {
            issuer.SaveFor(PriceOf(_supply));
        }
        else if (player.Race == Race.Zerg)
        {
            Trainer.FromLarva(inventory, issuer, _supply);
        }
        else
        {
            builder.Build(_supply);
        }
    }

    private void MakeWorkers()
    {
        var wanted = Math.Min(Now.Workers, (Bases * 16) + (inventory.RefineryCount * 3) + 2);
        var missing = wanted - inventory.CountOf(_worker);
        foreach (var hall in inventory.Halls)
        {
            if (missing <= 0 || !issuer.Affords(PriceOf(_worker)))
            {
                return;
            }

            if (player.Race == Race.Zerg)
            {
                missing -= Trainer.FromLarva(inventory, issuer, _worker) ? 1 : 0;
            }
            else if (hall.Queue.Count < 2 && hall.Change is null && !ReferenceEquals(hall, _next))
            {
                missing -= issuer.Do(hall, _worker.MadeBy!.Id) ? 1 : 0;
            }
        }
    }

    private void TakeGas()
    {
        var wanted = inventory.Workers.Count < 16 ? 0 : Math.Min(Bases * 2, 1 + ((inventory.Workers.Count - 16) / 10));
        if (inventory.CountAs(_refinery.Id) < wanted && player.Vespene < GasToSpare
            && issuer.Affords(PriceOf(_refinery)))
        {
            builder.BuildRefinery(_refinery);
        }
    }

    private void Expand()
    {
        var price = PriceOf(_hall);
        var ordered = inventory.CountOf(_hall) - player.Count[_hall.Index];
        var full = inventory.Workers.Count >= Bases * 12 || inventory.Halls.Sum(h => h.IdealHarvesters) < 16;
        var rich = player.Minerals > Rich;
        if (skill.IsScripted && inventory.Workers.Count < FewestToExpand)
        {
            return;
        }

        if (Bases + ordered >= Now.Bases || inventory.NewHalls.Count + ordered > (rich ? 1 : 0) || !(full || rich))
        {
            return;
        }

        if (!issuer.Affords(price))
        {
            if (issuer.Affords(price.Minerals - (inventory.Workers.Count * WalkIncome), 0))
            {
                builder.SendAhead(_hall);
            }

            issuer.SaveFor(price);
        }
        else
        {
            builder.Expand(_hall);
        }
    }

    // Buildings are replaced even if few workers are left: the game's scripts keep a stock of each building
    // (AISetStock in TerranMedi.galaxy and similar scripts).
    private void BuildWhatIsPlanned()
    {
        _mostWorkers = Math.Max(_mostWorkers, inventory.Workers.Count);
        foreach (var wanted in plan.Buildings.Take(skill.Buildings))
        {
            var type = wanted.Type;
            if (Bases < Math.Min(wanted.Bases, Now.Bases)
                || _mostWorkers < Math.Min(wanted.Workers, Now.Workers)
                || inventory.CountAs(type.Id) >= wanted.Count
                || (type.TechRequirement != 0 && !player.Has(type.TechRequirement)))
            {
                continue;
            }

            if (!issuer.Affords(PriceOf(type)))
            {
                // It saves for one building at a time. The rest of the plan waits.
                issuer.SaveFor(PriceOf(type));
                return;
            }

            builder.Build(type);
            return;
        }
    }

    // The hall's queue must be empty before it can morph, so it gets no more workers to train.
    private void MorphHalls()
    {
        _next = null;
        foreach (var (from, ability, bases) in plan.Halls)
        {
            var busy = from.Id == UnitId.CommandCenter
                ? inventory.Halls.Exists(h => h.Change is not null)
                : inventory.CountAs(ability.Product) > 0;
            if (Bases < bases || busy)
            {
                continue;
            }

            var hall = inventory.Halls.Find(h => h.Type.Id == from.Id && h.Change is null && Can(h, ability));
            if (hall is null)
            {
                continue;
            }

            var price = Prices.Of(ability, hall.Type);
            if (!issuer.Affords(0, price.Vespene))
            {
                continue;
            }

            _next = hall;
            if (!issuer.Affords(price) || hall.Queue.Count > 0)
            {
                issuer.SaveFor(price);
            }
            else
            {
                issuer.Do(hall, ability.Id);
            }
        }
    }

    private bool Can(Unit unit, Ability ability) =>
        unit.Type.AbilityOf(ability.Id) is { } own && Requirements.Met(player, unit, own);

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies)
    {
        (world, player, inventory, issuer) =
            (copies.Of(world), copies.Of(player), copies.Of(inventory), copies.Of(issuer));
        (builder, _next) = (copies.Of(builder), copies.UnitOf(_next));
    }
}
