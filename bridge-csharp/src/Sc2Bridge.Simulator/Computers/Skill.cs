using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>What a computer may have until it attacks once more, and with how much it does.</summary>
/// <param name="Until">The loop of that attack at the earliest. What holds in the last phase holds from then on.</param>
/// <param name="ArmyFood">The most army supply, in halves.</param>
/// <param name="AttackFood">Army supply, in halves, that it attacks with.</param>
/// <param name="Workers">The most workers.</param>
/// <param name="Bases">The most bases.</param>
internal readonly record struct Phase(int Until, int ArmyFood, int AttackFood, int Workers, int Bases);

/// <summary>What a difficulty means, as skills.tsv has it. Times in game loops.</summary>
/// <param name="row">Its line.</param>
/// <param name="phases">What it may have, from one attack to the next.</param>
/// <param name="rest">Loops from one attack to the next, at least; 0 for the higher difficulties.</param>
internal sealed class Skill(FactTable.Row row, Phase[] phases, int rest)
{
    // The seconds in which the levels that cheat come to get the most: AIMeleeCheatResources of MeleeAI.galaxy.
    private const int Ramp = 1200;
    private static readonly string[] _parts = ["open", "mid", "late", "final"];
    private static readonly FactTable.Row[] _waves = [.. FactTable.Read("waves").Rows];
    private static readonly FactTable.Row[] _skills = [.. FactTable.Read("skills").Rows];

    private readonly int _first = row.Int("income_first");
    private readonly int _from = row.Int("income_from_seconds");
    private readonly int _last = row.Int("income_last");

    /// <summary>Loops between two thoughts.</summary>
    public int ThinkEvery { get; } = row.Int("think_loops");

    /// <summary>What it may have, from one attack to the next.</summary>
    public Phase[] Phases => phases;

    /// <summary>Loops from one attack to the next, at least.</summary>
    public int Rest => rest;

    /// <summary>How many of its producers it uses when it thinks, in percent.</summary>
    public int BusyPercent { get; } = row.Int("busy_percent");

    /// <summary>The most creep tumours.</summary>
    public int Tumors { get; } = row.Int("tumors");

    /// <summary>Whether it researches.</summary>
    public bool Upgrades { get; } = row.Yes("upgrades");

    /// <summary>How many of its plan's buildings it builds, in their order.</summary>
    public int Buildings { get; } = row.Int("plan_lines");

    /// <summary>The most queens.</summary>
    public int Queens { get; } = row.Int("queens");

    /// <summary>Whether it attacks what it has not seen.</summary>
    public bool SeesAll { get; } = row.Yes("sees_all");

    /// <summary>Whether its workers meet a rush.</summary>
    public bool WorkersFight { get; } = row.Yes("workers_fight");

    /// <summary>The skill of a difficulty, from VeryEasy to CheatInsane.</summary>
    /// <param name="difficulty">Which; an unknown one is VeryHard.</param>
    /// <param name="build">How it opens, if it is one of the five lower ones.</param>
    /// <param name="random">A number below another, which chooses a random opening.</param>
    public static Skill Of(Difficulty difficulty, AIBuild build, Func<int, int> random)
    {
        var known = _skills.Any(one => one.Text("difficulty") == $"{difficulty}") ? difficulty : Difficulty.VeryHard;
        var row = _skills.First(one => one.Text("difficulty") == $"{known}");
        return row.Has("army") ? new Skill(row, [Attack(row, "first"), Attack(row, "main")], 0) : Scripted(row, build, random);
    }

    /// <summary>Whether it is one of the five lower ones.</summary>
    public bool IsScripted => rest > 0;

    /// <summary>The phase of a loop.</summary>
    public Phase At(int loop) => Array.Find(phases, phase => loop < phase.Until) is { Until: > 0 } now ? now : phases[^1];

    /// <summary>What it gets for what its workers bring, in percent: more than 100 for the levels that cheat.</summary>
    public int IncomePercent(int loop)
    {
        var over = Math.Clamp((loop / FactTable.LoopsPerSecond) - _from, 0, Ramp - _from);
        return _first + (over * (_last - _first) / (Ramp - _from));
    }

    private static Phase Attack(FactTable.Row row, string name) => new(
        row.Int($"{name}_attack"), row.Int("army"), row.Int($"{name}_food"), row.Int("workers"), row.Int("bases"));

    // The waves of its opening. Whoever opens with Macro does not send the first, and expands at once (TerranMacroExpand);
    // with Power in the next phase, else in the late ones. A wave is sent where half of it is there (AITestTimeout); each
    // time is 3 % less to 5 % more (RandomInt of *ArmyInit).
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
