using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>The parts of a player's score that are counted during the match. Damage is in 1/256 of a point.</summary>
internal sealed class Score
{
    public long CollectedMinerals { get; set; }

    public long CollectedVespene { get; set; }

    public long SpentMinerals { get; set; }

    public long SpentVespene { get; set; }

    /// <summary>The sum over all finished buildings that produce units: loops without work.</summary>
    public long IdleProduction { get; set; }

    /// <summary>The sum over all workers: loops without an order.</summary>
    public long IdleWorkers { get; set; }

    /// <summary>Cost of enemy units killed.</summary>
    public CostByCategory Killed { get; private set; } = new();

    /// <summary>Cost of own units lost.</summary>
    public CostByCategory Lost { get; private set; } = new();

    /// <summary>Cost of enemy units killed that are not buildings, minerals and vespene together.</summary>
    public long KilledUnits { get; set; }

    /// <summary>Cost of enemy buildings killed, minerals and vespene together.</summary>
    public long KilledStructures { get; set; }

    public long DamageDealtLife { get; set; }

    public long DamageDealtShields { get; set; }

    public long DamageTakenLife { get; set; }

    public long DamageTakenShields { get; set; }

    /// <summary>Life restored by healing and repair.</summary>
    public long HealedLife { get; set; }

    /// <summary>The number of enemy units that it killed.</summary>
    public int UnitsKilled { get; set; }

    /// <summary>The number of its units that died.</summary>
    public int UnitsLost { get; set; }

    /// <summary>A copy.</summary>
    public Score Copy()
    {
        var copy = (Score)MemberwiseClone();
        (copy.Killed, copy.Lost) = (Killed.Copy(), Lost.Copy());
        return copy;
    }
}

/// <summary>Minerals and vespene in the score's categories.</summary>
internal sealed class CostByCategory
{
    /// <summary>Minerals by category: none, army, economy, technology, upgrade.</summary>
    public long[] Minerals { get; private init; } = new long[5];

    /// <summary>Vespene by category: none, army, economy, technology, upgrade.</summary>
    public long[] Vespene { get; private init; } = new long[5];

    /// <summary>Minerals and vespene of all categories.</summary>
    public long Total => Minerals.Sum() + Vespene.Sum();

    /// <summary>A copy.</summary>
    public CostByCategory Copy() => new() { Minerals = [.. Minerals], Vespene = [.. Vespene] };

    /// <summary>The category of a type: 1 army, 2 economy, 3 technology.</summary>
    public static int CategoryOf(UnitType type) =>
        type.Is(Kind.Worker | Kind.TownHall | Kind.Refinery) || type.FoodProvided > 0 ? 2
        : type.Is(Kind.Army) || type.Weapons.Length > 0 ? 1
        : type.Is(Kind.Structure) ? 3
        : 1;

    /// <summary>Adds the cost of a unit of a type.</summary>
    public void Add(UnitType type)
    {
        Minerals[CategoryOf(type)] += type.Minerals;
        Vespene[CategoryOf(type)] += type.Vespene;
    }
}
