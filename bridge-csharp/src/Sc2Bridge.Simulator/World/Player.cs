using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// One player: what it owns in numbers, and what the score counts. Values of units are minerals or vespene.
/// </summary>
internal sealed class Player
{
    /// <summary>From 1.</summary>
    public required int Id { get; init; }

    /// <summary>The race played.</summary>
    public required Race Race { get; init; }

    /// <summary>The race asked for.</summary>
    public required Race RaceRequested { get; init; }

    /// <summary>How well the computer plays.</summary>
    public required Difficulty Difficulty { get; init; }

    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>The base it starts on.</summary>
    public required int StartBase { get; init; }

    /// <summary>In store.</summary>
    public int Minerals { get; set; } = 50;

    /// <summary>In store.</summary>
    public int Vespene { get; set; }

    /// <summary>Supply used, in halves, units in production included.</summary>
    public int HalfFoodUsed { get; set; }

    /// <summary>Of it, by workers.</summary>
    public int HalfFoodWorkers { get; set; }

    /// <summary>Supply provided, at most 200.</summary>
    public int FoodCap { get; set; }

    /// <summary>Levels of attack researched.</summary>
    public int AttackLevel { get; set; }

    /// <summary>Levels of armour researched.</summary>
    public int ArmorLevel { get; set; }

    /// <summary>Ids of the upgrades it has.</summary>
    public List<int> Upgrades { get; } = [];

    /// <summary>Indexes into <see cref="Upgrade.All"/> that were begun.</summary>
    public HashSet<int> Researched { get; } = [];

    /// <summary>
    /// How many of each type it owns, by <see cref="UnitFacts.Index"/>; unfinished ones and ones in production
    /// included.
    /// </summary>
    public int[] Count { get; } = new int[UnitTable.All.Length];

    /// <summary>How many of each type it has finished.</summary>
    public int[] Finished { get; } = new int[UnitTable.All.Length];

    /// <summary>Null while it plays.</summary>
    public Result? Result { get; set; }

    /// <summary>Whether and how a wave is on its way.</summary>
    public bool AttackOrdered { get; set; }

    /// <summary>The game loop from which the next wave may leave.</summary>
    public int NextWave { get; set; }

    /// <summary>Army supply, in halves, of the wave when it left.</summary>
    public int WaveStrength { get; set; }

    /// <summary>
    /// How a computer plays this game, drawn from the seed: 0 builds up, 1 attacks now and then, 2 all at once and
    /// early.
    /// </summary>
    public int Style { get; set; }

    /// <summary>Collected so far.</summary>
    public long CollectedMinerals { get; set; }

    /// <summary>Collected so far.</summary>
    public long CollectedVespene { get; set; }

    /// <summary>Spent so far.</summary>
    public long SpentMinerals { get; set; }

    /// <summary>Spent so far.</summary>
    public long SpentVespene { get; set; }

    /// <summary>Value of enemy units killed.</summary>
    public long KilledUnits { get; set; }

    /// <summary>Value of enemy buildings killed.</summary>
    public long KilledStructures { get; set; }

    /// <summary>Value of own units and buildings lost, minerals.</summary>
    public long LostMinerals { get; set; }

    /// <summary>Value of own units and buildings lost, vespene.</summary>
    public long LostVespene { get; set; }

    /// <summary>Damage dealt, in 1/256.</summary>
    public long DamageDealt { get; set; }

    /// <summary>Damage taken, in 1/256.</summary>
    public long DamageTaken { get; set; }

    /// <summary>Loops in which a building was idle, summed over buildings.</summary>
    public long IdleProduction { get; set; }

    /// <summary>Pays, or does nothing where the store does not reach.</summary>
    /// <param name="minerals">How many.</param>
    /// <param name="vespene">How much.</param>
    public bool Pay(int minerals, int vespene)
    {
        if (minerals > Minerals || vespene > Vespene)
        {
            return false;
        }

        Minerals -= minerals;
        Vespene -= vespene;
        SpentMinerals += minerals;
        SpentVespene += vespene;
        return true;
    }
}
