using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>The setup of a player.</summary>
/// <param name="Type">A participant or a computer.</param>
/// <param name="Race">The requested race. Random is drawn from the seed.</param>
/// <param name="Difficulty">A computer's difficulty.</param>
/// <param name="Build">A computer's opening.</param>
/// <param name="Name">May be empty.</param>
internal sealed record PlayerSpec(PlayerType Type, Race Race, Difficulty Difficulty, AIBuild Build, string Name)
{
    /// <summary>An empty seat.</summary>
    public static PlayerSpec Nobody { get; } =
        new(PlayerType.Observer, Race.Terran, Difficulty.VeryEasy, AIBuild.RandomBuild, "");
}

/// <summary>A player's state and score.</summary>
internal sealed class Player : Copyable
{
    /// <summary>The player's number, from 1.</summary>
    public required int Id { get; init; }

    /// <summary>The player's setup.</summary>
    public required PlayerSpec Spec { get; init; }

    /// <summary>The actual race, never Random.</summary>
    public required Race Race { get; init; }

    /// <summary>The base at which it starts, as an index into the map's bases.</summary>
    public required int StartBase { get; init; }

    /// <summary>Minerals that it can spend.</summary>
    public int Minerals { get; set; }

    /// <summary>Vespene that it can spend.</summary>
    public int Vespene { get; set; }

    /// <summary>Supply in use, in halves, including units in production and eggs.</summary>
    public int HalfFoodUsed { get; set; }

    /// <summary>Supply that its finished units provide, without the limit of 200.</summary>
    public int FoodProvided { get; set; }

    /// <summary>Supply that it can use, at most 200.</summary>
    public int FoodCap => Math.Min(200, FoodProvided);

    public HashSet<int> Upgrades { get; private set; } = [];

    /// <summary>Upgrades in research, so that no upgrade is researched twice.</summary>
    public HashSet<int> Researching { get; private set; } = [];

    /// <summary>The number of its units of each type, by <see cref="UnitType.Index"/>, including unfinished ones.</summary>
    public int[] Count { get; private set; } = new int[TechTree.Units.Length];

    /// <summary>The number of its finished units of each type.</summary>
    public int[] Finished { get; private set; } = new int[TechTree.Units.Length];

    /// <summary>Null while it plays.</summary>
    public Result? Result { get; set; }

    public Score Score { get; private set; } = new();

    /// <summary>The center of its view. At first it is at its first workers.</summary>
    public (int X, int Y) Camera { get; set; }

    /// <summary>Whether its units fight only on command.</summary>
    public bool Passive { get; set; }

    public Selection Selection { get; private set; } = new();

    /// <summary>Game states that debug commands have turned on for it.</summary>
    public HashSet<DebugGameState> Cheats { get; private set; } = [];

    /// <summary>Whether it has a finished building that counts as a type.</summary>
    /// <param name="id">A unit type's id.</param>
    public bool Has(int id)
    {
        for (var i = 0; i < Finished.Length; i++)
        {
            if (Finished[i] > 0 && TechTree.Units[i].CountsAs(id))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether it can pay.</summary>
    public bool CanPay(int minerals, int vespene) =>
        Cheats.Contains(DebugGameState.Free) || (minerals <= Minerals && vespene <= Vespene);

    /// <summary>Pays. The caller has checked <see cref="CanPay"/>.</summary>
    public void Pay(int minerals, int vespene)
    {
        if (Cheats.Contains(DebugGameState.Free))
        {
            return;
        }

        Minerals -= minerals;
        Vespene -= vespene;
        Score.SpentMinerals += minerals;
        Score.SpentVespene += vespene;
    }

    /// <summary>Refunds the price of something that was cancelled.</summary>
    public void Refund(int minerals, int vespene)
    {
        Minerals += minerals;
        Vespene += vespene;
        Score.SpentMinerals -= minerals;
        Score.SpentVespene -= vespene;
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies)
    {
        (Upgrades, Researching, Cheats) = ([.. Upgrades], [.. Researching], [.. Cheats]);
        (Count, Finished, Score, Selection) = ([.. Count], [.. Finished], Score.Copy(), copies.Of(Selection));
    }
}
