using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>What a player's score counts beside what can be read off the world. Damage in 1/256 of a point.</summary>
internal sealed class Score
{
    /// <summary>Collected so far.</summary>
    public long CollectedMinerals { get; set; }

    /// <summary>Collected so far.</summary>
    public long CollectedVespene { get; set; }

    /// <summary>Spent so far.</summary>
    public long SpentMinerals { get; set; }

    /// <summary>Spent so far.</summary>
    public long SpentVespene { get; set; }

    /// <summary>Loops in which a finished building that makes units was idle, summed.</summary>
    public long IdleProduction { get; set; }

    /// <summary>Loops in which a worker was idle, summed.</summary>
    public long IdleWorkers { get; set; }

    /// <summary>Cost of enemy units killed.</summary>
    public CostByCategory Killed { get; } = new();

    /// <summary>Cost of own units lost.</summary>
    public CostByCategory Lost { get; } = new();

    /// <summary>Cost of enemy units killed that are no buildings, both kinds together.</summary>
    public long KilledUnits { get; set; }

    /// <summary>Cost of enemy buildings killed, both kinds together.</summary>
    public long KilledStructures { get; set; }

    /// <summary>Dealt, to life.</summary>
    public long DamageDealtLife { get; set; }

    /// <summary>Dealt, to shields.</summary>
    public long DamageDealtShields { get; set; }

    /// <summary>Taken, by life.</summary>
    public long DamageTakenLife { get; set; }

    /// <summary>Taken, by shields.</summary>
    public long DamageTakenShields { get; set; }

    /// <summary>Life given back by healing and repair.</summary>
    public long HealedLife { get; set; }

    /// <summary>Units that were killed for it.</summary>
    public int UnitsKilled { get; set; }

    /// <summary>Units that it lost.</summary>
    public int UnitsLost { get; set; }
}

/// <summary>Minerals and vespene in the score's categories.</summary>
internal sealed class CostByCategory
{
    /// <summary>none, army, economy, technology, upgrade: minerals.</summary>
    public long[] Minerals { get; } = new long[5];

    /// <summary>none, army, economy, technology, upgrade: vespene.</summary>
    public long[] Vespene { get; } = new long[5];

    /// <summary>Both of all, summed.</summary>
    public long Total => Minerals.Sum() + Vespene.Sum();

    /// <summary>The category of a type: 1 army, 2 economy, 3 technology.</summary>
    public static int CategoryOf(UnitType type) =>
        type.Is(Kind.Worker | Kind.TownHall | Kind.Refinery) || type.FoodProvided > 0 ? 2
        : type.Is(Kind.Army) || type.Weapons.Length > 0 ? 1
        : type.Is(Kind.Structure) ? 3
        : 1;

    /// <summary>Adds what a unit of a type costs.</summary>
    public void Add(UnitType type)
    {
        Minerals[CategoryOf(type)] += type.Minerals;
        Vespene[CategoryOf(type)] += type.Vespene;
    }
}
