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

/// <summary>
/// What a difficulty means. Times in game loops. The five lower ones are as the game's own scripts have them, which
/// <c>Facts/waves.tsv</c> names: phases, workers (AILDStockWorkers) and how often it thinks (AIMeleeSharedInit's tactical delay).
/// </summary>
/// <param name="ThinkEvery">Loops between two thoughts.</param>
/// <param name="Phases">What it may have, from one attack to the next.</param>
/// <param name="Rest">Loops from one attack to the next, at least.</param>
/// <param name="BusyPercent">How many of its producers it uses when it thinks, in percent.</param>
/// <param name="Tumors">The most creep tumours.</param>
/// <param name="Upgrades">Whether it researches.</param>
/// <param name="Buildings">How many of its plan's buildings it builds, in their order.</param>
/// <param name="Queens">The most queens.</param>
/// <param name="SeesAll">Whether it attacks what it has not seen.</param>
/// <param name="WorkersFight">Whether its workers meet a rush.</param>
internal sealed record Skill(
    int ThinkEvery, Phase[] Phases, int Rest, int BusyPercent, int Tumors, bool Upgrades,
    int Buildings = int.MaxValue, int Queens = 9, bool SeesAll = false, bool WorkersFight = true)
{
    private const int LoopsPerSecond = 16;
    private const int NoLimit = 400;

    // The seconds in which the levels that cheat come to get the most: AIMeleeCheatResources of MeleeAI.galaxy.
    private const int Ramp = 1200;
    private static readonly string[] _parts = ["open", "mid", "late", "final"];
    private static readonly FactTable.Row[] _waves = [.. FactTable.Read("waves").Rows];

    // Percent of what its workers bring that it gets up to a second, and from the end of the ramp on.
    private (int First, int Second, int Last) Income { get; init; } = (100, 0, 100);

    /// <summary>The skill of a difficulty, from VeryEasy to CheatInsane.</summary>
    /// <param name="difficulty">Which.</param>
    /// <param name="build">How it opens, if it is one of the five lower ones.</param>
    /// <param name="random">A number below another, which chooses a random opening.</param>
    public static Skill Of(Difficulty difficulty, AIBuild build, Func<int, int> random) => difficulty switch
    {
        Difficulty.VeryEasy => new(160, Waves(difficulty, build, random, 20, 40), 4800, 20, 0, false, 2, 1, WorkersFight: false),
        Difficulty.Easy => new(112, Waves(difficulty, build, random, 22, 50), 4640, 40, 0, false, 4, 1),
        Difficulty.Medium => new(80, Waves(difficulty, build, random, 24, 54), 4480, 45, 4, false, 8, 3),
        Difficulty.MediumHard => new(48, Waves(difficulty, build, random, 26, 60), 4160, 55, 8, true, 12, 3),
        Difficulty.Hard => new(32, Waves(difficulty, build, random, 30, 60), 4000, 65, 16, true, 16, 3),
        Difficulty.Harder => new(16, [new(7500, 140, 60, 44, 3), new(0, 140, 120, 44, 3)], 0, 75, 24, true),
        Difficulty.CheatVision => Most(7500, 15_600) with { SeesAll = true },
        Difficulty.CheatMoney => Most(7000, 13_000) with { SeesAll = true, Income = (100, 120, 150) },
        Difficulty.CheatInsane => Most(6500, 11_000, 9) with { SeesAll = true, Income = (120, 0, 200) },
        _ => Most(9000, 16_000),
    };

    /// <summary>Whether it is one of the five lower ones.</summary>
    public bool IsScripted => Rest > 0;

    /// <summary>The phase of a loop.</summary>
    public Phase At(int loop) => Array.Find(Phases, phase => loop < phase.Until) is { Until: > 0 } now ? now : Phases[^1];

    /// <summary>What it gets for what its workers bring, in percent: more than 100 for the levels that cheat.</summary>
    public int IncomePercent(int loop)
    {
        var over = Math.Clamp((loop / LoopsPerSecond) - Income.Second, 0, Ramp - Income.Second);
        return Income.First + (over * (Income.Last - Income.First) / (Ramp - Income.Second));
    }

    private static Skill Most(int firstAttack, int mainAttack, int bases = 8) => new(
        8, [new(firstAttack, NoLimit, 60, 70, bases), new(mainAttack, NoLimit, 300, 70, bases)], 0, 100, 200, true);

    // The waves of its opening. Whoever opens with Macro does not send the first, and expands at once (TerranMacroExpand);
    // with Power in the next phase, else in the late ones. A wave is sent where half of it is there (AITestTimeout); each
    // time is 3 % less to 5 % more (RandomInt of *ArmyInit).
    private static Phase[] Waves(Difficulty difficulty, AIBuild build, Func<int, int> random, int workers, int late)
    {
        var rows = _waves.Where(row => row.Text("difficulty") == $"{difficulty}").ToArray();
        var chance = build == AIBuild.RandomBuild ? random(100) : 0;
        var chosen = build == AIBuild.RandomBuild
            ? rows.First(row => (chance -= row.Int("percent")) < 0)
            : rows.FirstOrDefault(row => row.Text("build") == $"{build}", rows[^1]);
        var expands = chosen.Text("build") switch { "Macro" => 0, "Power" => 1, _ => 2 };
        var (loop, phases) = (0, new List<Phase>());
        foreach (var (number, name) in _parts.Index())
        {
            loop += chosen.Int($"{name}_seconds") * LoopsPerSecond * (97 + random(9)) / 100;
            var food = chosen.Int($"{name}_food") * 2;
            phases.Add(new(loop, food, (food + 1) / 2, number == 0 ? workers : late, number < expands ? 1 : 2));
        }

        return [.. expands == 0 ? phases.Skip(1) : phases];
    }
}
