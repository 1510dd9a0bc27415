using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>A building that a plan wants.</summary>
/// <param name="Type">Which.</param>
/// <param name="Count">How many of it there are then.</param>
/// <param name="Bases">From how many town halls on.</param>
/// <param name="Workers">From how many workers on.</param>
internal readonly record struct WantedBuilding(UnitType Type, int Count, int Bases, int Workers);

/// <summary>A unit type of the army.</summary>
/// <param name="Type">Which.</param>
/// <param name="Weight">Its share of the supply, compared with the others'.</param>
internal readonly record struct WantedUnit(UnitType Type, int Weight);

/// <summary>What a town hall becomes.</summary>
/// <param name="From">The hall's type.</param>
/// <param name="Ability">By which it changes.</param>
/// <param name="Bases">From how many town halls on.</param>
internal readonly record struct WantedHall(UnitType From, Ability Ability, int Bases);

/// <summary>What a computer builds and makes, as plans.txt has it.</summary>
internal sealed class Plan(string name, Race race)
{
    /// <summary>Every plan.</summary>
    public static IReadOnlyList<Plan> All { get; } = PlanReader.Read(FactTable.Text("plans"));

    /// <summary>What people call it.</summary>
    public string Name => name;

    /// <summary>Whose it is.</summary>
    public Race Race => race;

    /// <summary>The openings that it is for.</summary>
    public List<AIBuild> For { get; } = [];

    /// <summary>What gives supply.</summary>
    public UnitType Supply { get; set; } = null!;

    /// <summary>What takes vespene.</summary>
    public UnitType Refinery { get; set; } = null!;

    /// <summary>In the order of importance.</summary>
    public List<WantedBuilding> Buildings { get; } = [];

    /// <summary>More of what makes units: minerals that nothing else wants build it.</summary>
    public List<WantedBuilding> Production { get; } = [];

    /// <summary>What the army is of.</summary>
    public List<WantedUnit> Army { get; } = [];

    /// <summary>Upgrades, the first the most wanted.</summary>
    public List<int> Upgrades { get; } = [];

    /// <summary>What town halls become.</summary>
    public List<WantedHall> Halls { get; } = [];

    /// <summary>The plan of a race for an opening.</summary>
    /// <param name="plans">Of these.</param>
    /// <param name="race">Whose.</param>
    /// <param name="build">The opening. If no plan is for it, the race's first plan is played.</param>
    /// <param name="random">Draws one if several are for it.</param>
    public static Plan Choose(IReadOnlyList<Plan> plans, Race race, AIBuild build, Func<int, int> random)
    {
        Plan[] fitting = [.. plans.Where(plan => plan.Race == race && plan.For.Contains(build))];
        return fitting.Length switch
        {
            0 => plans.First(plan => plan.Race == race),
            1 => fitting[0],
            _ => fitting[random(fitting.Length)],
        };
    }
}
