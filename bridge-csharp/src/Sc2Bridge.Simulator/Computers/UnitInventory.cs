using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>A computer's units, sorted for one decision.</summary>
internal sealed class UnitInventory : Copyable
{
    private int[] _onTheWay = new int[TechTree.Units.Length];
    private Player? _player;

    /// <summary>Finished town halls.</summary>
    public List<Unit> Halls { get; private set; } = [];

    /// <summary>Unfinished town halls.</summary>
    public List<Unit> NewHalls { get; private set; } = [];

    public List<Unit> Workers { get; private set; } = [];

    /// <summary>Finished refineries with gas left.</summary>
    public List<Unit> Refineries { get; private set; } = [];

    /// <summary>Units that can make something: finished buildings, larvae and queens.</summary>
    public List<Unit> Makers { get; private set; } = [];

    /// <summary>Its army, without queens.</summary>
    public List<Unit> Army { get; private set; } = [];

    /// <summary>The army's supply, including queens, in halves.</summary>
    public int ArmyFood { get; private set; }

    /// <summary>The army's supply, including units in production and excluding queens, in halves.</summary>
    public int WarriorFood { get; private set; }

    /// <summary>The supply of enemy armies at its bases at the last decision, in halves.</summary>
    public int Threat { get; set; }

    /// <summary>The number of refineries, including unfinished ones.</summary>
    public int RefineryCount { get; private set; }

    /// <summary>The minerals for buildings whose workers are on their way. They are paid on arrival.</summary>
    public int OwedMinerals { get; private set; }

    /// <summary>The vespene for buildings whose workers are on their way.</summary>
    public int OwedVespene { get; private set; }

    /// <summary>The number of creep tumours.</summary>
    public int Tumors { get; private set; }

    /// <summary>Whether a worker mines or is idle, so that it can get another order.</summary>
    public static bool IsMining(Unit worker) =>
        worker.Order is not { } order || AbilityKinds.Of(order.Ability) is AbilityKind.Gather or AbilityKind.Return;

    /// <summary>The mineral field near a town hall that has the fewest workers, or null.</summary>
    public static Unit? MineralOf(GameWorld world, Unit hall)
    {
        Unit? best = null;
        foreach (var unit in world.Bins.Near(hall.X, hall.Y, 10 * Geometry.Cell))
        {
            if (unit.Type.Is(Kind.Minerals) && unit.Contents > 0
                && Geometry.Length(unit.X - hall.X, unit.Y - hall.Y) < 10 * Geometry.Cell
                && (best is null || unit.Harvesters < best.Harvesters))
            {
                best = unit;
            }
        }

        return best;
    }

    /// <summary>The number of units of a type, including ordered ones.</summary>
    public int CountOf(UnitType type) => _player!.Count[type.Index] + _onTheWay[type.Index];

    /// <summary>The number of units that count as a type, in any state, including ordered ones.</summary>
    public int CountAs(int id)
    {
        var count = 0;
        for (var i = 0; i < _onTheWay.Length; i++)
        {
            var have = _player!.Count[i] + _onTheWay[i];
            count += have > 0 && TechTree.Units[i].CountsAs(id) ? have : 0;
        }

        return count;
    }

    /// <summary>Sorts the player's units again.</summary>
    public void Update(GameWorld world, Player player)
    {
        _player = player;
        Array.Clear(_onTheWay);
        Halls.Clear();
        NewHalls.Clear();
        Workers.Clear();
        Refineries.Clear();
        Makers.Clear();
        Army.Clear();
        (ArmyFood, WarriorFood, RefineryCount, Tumors, OwedMinerals, OwedVespene) = (0, 0, 0, 0, 0, 0);
        foreach (var unit in world.Units)
        {
            if (unit.Owner == player.Id && unit.Alive)
            {
                Sort(unit);
            }
        }
    }

    /// <summary>Counts army units that were just ordered.</summary>
    public void Expect(UnitType type, int count)
    {
        _onTheWay[type.Index] += count;
        ArmyFood += type.HalfFood * count;
        CountWarriors(type, count);
    }

    private void Sort(Unit unit)
    {
        var type = unit.Type;
        if (type.Is(Kind.TownHall))
        {
            (unit.Finished ? Halls : NewHalls).Add(unit);
        }

        if (type.Is(Kind.Refinery))
        {
            RefineryCount++;
            if (unit.Finished && (unit.Home?.Contents ?? unit.Contents) > 0)
            {
                Refineries.Add(unit);
            }
        }

        if (type.Is(Kind.Worker))
        {
            Workers.Add(unit);
            Expect(unit.Order, type);
        }
        else if (type.Is(Kind.Army) && unit.Finished && type.Speed > 0)
        {
            ArmyFood += type.HalfFood;
            CountWarriors(type, 1);
            if (type.Id != UnitId.Queen)
            {
                Army.Add(unit);
            }
        }

        if (unit.Finished && (type.Is(Kind.Structure) || type.Id is UnitId.Larva or UnitId.Queen))
        {
            Makers.Add(unit);
        }

        Tumors += type.CountsAs(UnitId.CreepTumor) ? 1 : 0;
        foreach (var product in unit.Queue)
        {
            if (product.Ability.Makes == Makes.Train)
            {
                _onTheWay[TechTree.Unit(product.Ability.Product).Index]++;
                CountWarriors(TechTree.Unit(product.Ability.Product), 1);
            }
        }

        if (unit.Change is { } change)
        {
            _onTheWay[change.Into.Index] += Prices.CountOf(change.From, change.Into);
            CountWarriors(change.Into, change.From.Is(Kind.Army) ? 0 : Prices.CountOf(change.From, change.Into));
        }
    }

    private void CountWarriors(UnitType type, int count) =>
        WarriorFood += type.Is(Kind.Army) && type.Id != UnitId.Queen ? type.HalfFood * count : 0;

    // Counts the building that a worker is on its way to build.
    private void Expect(Order? order, UnitType worker)
    {
        if (order is { Made: null, Ability.Makes: Makes.Build })
        {
            var price = Prices.Of(order.Ability, worker);
            _onTheWay[TechTree.Unit(order.Ability.Product).Index]++;
            OwedMinerals += price.Minerals;
            OwedVespene += price.Vespene;
        }
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies)
    {
        (_onTheWay, _player) = ([.. _onTheWay], _player is null ? null : copies.Of(_player));
        (Halls, NewHalls, Workers) = (copies.UnitsOf(Halls), copies.UnitsOf(NewHalls), copies.UnitsOf(Workers));
        (Refineries, Makers, Army) = (copies.UnitsOf(Refineries), copies.UnitsOf(Makers), copies.UnitsOf(Army));
    }
}
