using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>Reads plans.txt. The first lines of that file explain its format.</summary>
internal sealed class PlanReader
{
    private readonly List<Plan> _plans = [];
    private readonly Dictionary<UnitType, int> _counts = [];
    private string _section = "";
    private int _bases;

    private PlanReader()
    {
    }

    /// <summary>Reads a file's text.</summary>
    /// <exception cref="FormatException">A line is invalid.</exception>
    public static IReadOnlyList<Plan> Read(string text)
    {
        var reader = new PlanReader();
        foreach (var (number, line) in text.Split('\n').Index())
        {
            var words = line.Split('#')[0].Split(' ', StringSplitOptions.RemoveEmptyEntries);
            try
            {
                if (words.Length > 0)
                {
                    reader.ReadLine(words);
                }
            }
            catch (Exception error) when (error is FormatException or ArgumentException or InvalidOperationException)
            {
                throw new FormatException($"plans.txt, line {number + 1}, '{line.Trim()}': {error.Message}", error);
            }
        }

        return reader._plans;
    }

    private void ReadLine(string[] words)
    {
        switch (words)
        {
            case ["plan", var name, var race]:
                _plans.Add(new Plan(name, Enum.Parse<Race>(race)));
                _counts.Clear();
                (_section, _bases) = ("buildings", 1);
                break;
            case ["for", .. var builds]:
                _plans[^1].For.AddRange(builds.Select(Enum.Parse<AIBuild>));
                break;
            case ["supply", var type]:
                _plans[^1].Supply = TechTree.Unit(type);
                break;
            case ["gas", var type]:
                _plans[^1].Refinery = TechTree.Unit(type);
                break;
            case [var count, "base" or "bases"]:
                _bases = int.Parse(count, CultureInfo.InvariantCulture);
                break;
            case ["army" or "research" or "halls"] or ["spare", "minerals"]:
                _section = words[^1];
                break;
            default:
                Want(_plans[^1], words);
                break;
        }
    }

    private void Want(Plan plan, string[] words)
    {
        var number = int.TryParse(words[0], CultureInfo.InvariantCulture, out var first) ? first : 0;
        var name = words[number > 0 ? 1 : 0];
        switch (_section)
        {
            case "army":
                plan.Army.Add(new WantedUnit(TechTree.Unit(name), number));
                break;
            case "research":
                plan.Upgrades.Add(TechTree.Upgrades.First(upgrade => upgrade.Name == name).Id);
                break;
            case "halls":
                var ability = TechTree.Unit(name).MadeBy!;
                var from = TechTree.Units.First(hall => hall.Is(Kind.TownHall) && hall.AbilityOf(ability.Id) is not null);
                plan.Halls.Add(new WantedHall(from, ability, number));
                break;
            default:
                var into = _section == "minerals" ? plan.Production : plan.Buildings;
                var more = words[^1] is ['x', .. var times] ? int.Parse(times, CultureInfo.InvariantCulture) : 1;
                var type = TechTree.Unit(name);
                _counts[type] = _counts.GetValueOrDefault(type) + more;
                into.Add(new WantedBuilding(type, _counts[type], _bases, number));
                break;
        }
    }
}
