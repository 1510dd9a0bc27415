using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>A building that a plan requires.</summary>
/// <param name="Type">The type.</param>
/// <param name="Count">The total number of buildings of this type.</param>
/// <param name="Bases">The number of town halls that must exist before.</param>
/// <param name="Workers">The number of workers that must exist before.</param>
internal readonly record struct WantedBuilding(UnitType Type, int Count, int Bases, int Workers);

/// <summary>A unit type of the army.</summary>
/// <param name="Type">The type.</param>
/// <param name="Weight">Its weight in the army's supply, relative to the other types.</param>
internal readonly record struct WantedUnit(UnitType Type, int Weight);

/// <summary>A morph of a town hall.</summary>
/// <param name="From">The hall's type.</param>
/// <param name="Ability">The ability that morphs it.</param>
/// <param name="Bases">The number of town halls that must exist before.</param>
internal readonly record struct WantedHall(UnitType From, Ability Ability, int Bases);

/// <summary>The buildings, units and upgrades that a computer makes, from plans.txt.</summary>
internal sealed class Plan(string name, Race race)
{
    public static IReadOnlyList<Plan> All { get; } = PlanReader.Read(FactTable.Text("plans"));

    public string Name => name;

    /// <summary>The race that plays it.</summary>
    public Race Race => race;

    /// <summary>The openings that use it.</summary>
    public List<AIBuild> For { get; } = [];

    /// <summary>The type that provides supply.</summary>
    public UnitType Supply { get; set; } = null!;

    /// <summary>The type that harvests vespene.</summary>
    public UnitType Refinery { get; set; } = null!;

    /// <summary>The buildings, the most important first.</summary>
    public List<WantedBuilding> Buildings { get; } = [];

    /// <summary>Additional buildings that produce units, built with minerals that nothing else needs.</summary>
    public List<WantedBuilding> Production { get; } = [];

    /// <summary>The types of the army.</summary>
    public List<WantedUnit> Army { get; } = [];

    /// <summary>The upgrades, the most important first.</summary>
    public List<int> Upgrades { get; } = [];

    /// <summary>The morphs of town halls.</summary>
    public List<WantedHall> Halls { get; } = [];

    /// <summary>Chooses a race's plan for an opening.</summary>
    /// <param name="plans">The plans to choose from.</param>
    /// <param name="race">The race.</param>
    /// <param name="build">The opening. If no plan uses it, the race's first plan is chosen.</param>
    /// <param name="random">Draws one of several matching plans.</param>
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
