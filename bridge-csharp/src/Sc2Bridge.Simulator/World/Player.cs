using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Who plays.</summary>
/// <param name="Type">A participant or a computer.</param>
/// <param name="Race">The race asked for; Random is drawn from the seed.</param>
/// <param name="Difficulty">How well a computer plays.</param>
/// <param name="Build">How a computer opens.</param>
/// <param name="Name">May be empty.</param>
internal sealed record PlayerSpec(PlayerType Type, Race Race, Difficulty Difficulty, AIBuild Build, string Name)
{
    /// <summary>An empty seat.</summary>
    public static PlayerSpec Nobody { get; } =
        new(PlayerType.Observer, Race.Terran, Difficulty.VeryEasy, AIBuild.RandomBuild, "");
}

/// <summary>One player: what it has in numbers, and what the score counts.</summary>
internal sealed class Player
{
    /// <summary>From 1.</summary>
    public required int Id { get; init; }

    /// <summary>As it was set up.</summary>
    public required PlayerSpec Spec { get; init; }

    /// <summary>The race played.</summary>
    public required Race Race { get; init; }

    /// <summary>The base it starts on, an index of the map's bases.</summary>
    public required int StartBase { get; init; }

    /// <summary>In store.</summary>
    public int Minerals { get; set; }

    /// <summary>In store.</summary>
    public int Vespene { get; set; }

    /// <summary>Supply used, in halves; units in production and eggs are counted.</summary>
    public int HalfFoodUsed { get; set; }

    /// <summary>Supply that all its finished units provide.</summary>
    public int FoodProvided { get; set; }

    /// <summary>The same, at most 200.</summary>
    public int FoodCap => Math.Min(200, FoodProvided);

    /// <summary>Upgrades it has.</summary>
    public HashSet<int> Upgrades { get; } = [];

    /// <summary>Upgrades that are being researched: none can be researched twice.</summary>
    public HashSet<int> Researching { get; } = [];

    /// <summary>How many of each type it owns, by <see cref="UnitType.Index"/>, unfinished ones included.</summary>
    public int[] Count { get; } = new int[TechTree.Units.Length];

    /// <summary>How many of each type it has finished.</summary>
    public int[] Finished { get; } = new int[TechTree.Units.Length];

    /// <summary>Null while it plays.</summary>
    public Result? Result { get; set; }

    /// <summary>What the score counts.</summary>
    public Score Score { get; } = new();

    /// <summary>The middle of what it looks at: its first workers, until it moves its camera.</summary>
    public (int X, int Y) Camera { get; set; }

    /// <summary>Whether its units fight only when they are told to.</summary>
    public bool Passive { get; set; }

    /// <summary>What it has selected.</summary>
    public Selection Selection { get; } = new();

    /// <summary>Game states that debug commands turn on for it.</summary>
    public HashSet<DebugGameState> Cheats { get; } = [];

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

    /// <summary>Pays what it can pay: <see cref="CanPay"/> was asked before.</summary>
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

    /// <summary>Takes back what was paid for something that was not made.</summary>
    public void Refund(int minerals, int vespene)
    {
        Minerals += minerals;
        Vespene += vespene;
        Score.SpentMinerals -= minerals;
        Score.SpentVespene -= vespene;
    }
}
