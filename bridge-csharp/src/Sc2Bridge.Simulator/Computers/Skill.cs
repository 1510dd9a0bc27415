using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>The limits of a computer until its next attack, and the size of that attack.</summary>
/// <param name="Until">The earliest loop of the attack. The last phase stays valid after it.</param>
/// <param name="ArmyFood">The most army supply, in halves.</param>
/// <param name="AttackFood">The army supply that it needs to attack, in halves.</param>
/// <param name="Workers">The most workers.</param>
/// <param name="Bases">The most bases.</param>
internal readonly record struct Phase(int Until, int ArmyFood, int AttackFood, int Workers, int Bases);

/// <summary>A computer's skill at a difficulty, from skills.tsv. Times are in game loops.</summary>
/// <param name="row">The line of the table.</param>
/// <param name="phases">The limits, by phase.</param>
/// <param name="rest">The minimum number of loops between two attacks; 0 for the higher difficulties.</param>
internal sealed class Skill(FactTable.Row row, Phase[] phases, int rest)
{
    // The bonus of the difficulties that cheat grows until this second: AIMeleeCheatResources of MeleeAI.galaxy.
    private const int Ramp = 1200;
    private static readonly string[] _parts = ["open", "mid", "late", "final"];
    private static readonly FactTable.Row[] _waves = [.. FactTable.Read("waves").Rows];
    private static readonly FactTable.Row[] _skills = [.. FactTable.Read("skills").Rows];

    private readonly int _first = row.Int("income_first");
    private readonly int _from = row.Int("income_from_seconds");
    private readonly int _last = row.Int("income_last");

    /// <summary>Loops between two decisions.</summary>
    public int ThinkEvery { get; } = row.Int("think_loops");

    /// <summary>The limits, by phase.</summary>
    public Phase[] Phases => phases;

    /// <summary>The minimum number of loops between two attacks.</summary>
    public int Rest => rest;

    /// <summary>The share of its producers that it uses at each decision, in percent.</summary>
    public int BusyPercent { get; } = row.Int("busy_percent");

    /// <summary>The maximum number of creep tumours.</summary>
    public int Tumors { get; } = row.Int("tumors");

    /// <summary>Whether it researches upgrades.</summary>
    public bool Upgrades { get; } = row.Yes("upgrades");

    /// <summary>The number of its plan's buildings that it builds, in their order.</summary>
    public int Buildings { get; } = row.Int("plan_lines");

    /// <summary>The maximum number of queens.</summary>
    public int Queens { get; } = row.Int("queens");

    /// <summary>Whether it attacks buildings that it has not seen.</summary>
    public bool SeesAll { get; } = row.Yes("sees_all");

    /// <summary>Whether its workers defend against a rush.</summary>
    public bool WorkersFight { get; } = row.Yes("workers_fight");

    /// <summary>The skill of a difficulty, from VeryEasy to CheatInsane.</summary>
    /// <param name="difficulty">The difficulty. An unknown one counts as VeryHard.</param>
    /// <param name="build">The opening. Only the five lower difficulties use it.</param>
    /// <param name="random">Returns a random number below its argument, for a random opening.</param>
    public static Skill Of(Difficulty difficulty, AIBuild build, Func<int, int> random)
    {
        var known = _skills.Any(one => one.Text("difficulty") == $"{difficulty}") ? difficulty : Difficulty.VeryHard;
        var row = _skills.First(one => one.Text("difficulty") == $"{known}");
        return row.Has("army") ? new Skill(row, [Attack(row, "first"), Attack(row, "main")], 0) : Scripted(row, build, random);
    }

    /// <summary>Whether it is one of the five lower difficulties, which follow the game's scripts.</summary>
    public bool IsScripted => rest > 0;

    /// <summary>The phase of a loop.</summary>
    public Phase At(int loop) => Array.Find(phases, phase => loop < phase.Until) is { Until: > 0 } now ? now : phases[^1];

    /// <summary>Its income, in percent of what its workers collect. More than 100 for the difficulties that cheat.</summary>
    public int IncomePercent(int loop)
    {
        var over = Math.Clamp((loop / FactTable.LoopsPerSecond) - _from, 0, Ramp - _from);
        return _first + (over * (_last - _first) / (Ramp - _from));
    }

    private static Phase Attack(FactTable.Row row, string name) => new(
        row.Int($"{name}_attack"), row.Int("army"), row.Int($"{name}_food"), row.Int("workers"), row.Int("bases"));

    // The waves of the opening. Macro skips the first wave and expands at once (TerranMacroExpand). Power expands in the
    // second phase, and other openings in the late phases. A wave starts if half of its units exist (AITestTimeout). Each
    // time varies by -3 % to +5 % (RandomInt of *ArmyInit).
    private static Skill Scripted(FactTable.Row skill, AIBuild build, Func<int, int> random)
    {
        var rows = _waves.Where(row => row.Text("difficulty") == skill.Text("difficulty")).ToArray();
        var chance = build == AIBuild.RandomBuild ? random(100) : 0;
        var chosen = build == AIBuild.RandomBuild
            ? rows.First(row => (chance -= row.Int("percent")) < 0)
            : rows.FirstOrDefault(row => row.Text("build") == $"{build}", rows[^1]);
        var expands = chosen.Text("build") switch { "Macro" => 0, "Power" => 1, _ => 2 };
        var (loop, phases) = (0, new List<Phase>());
        foreach (var (number, name) in _parts.Index())
        {
            loop += chosen.Loops($"{name}_seconds") * (97 + random(9)) / 100;
            var food = chosen.Int($"{name}_food") * 2;
            var workers = skill.Int(number == 0 ? "workers" : "late_workers");
            phases.Add(new(loop, food, (food + 1) / 2, workers, number < expands ? 1 : 2));
        }

        return new Skill(skill, [.. expands == 0 ? phases.Skip(1) : phases], chosen.Loops("final_seconds"));
    }
}
