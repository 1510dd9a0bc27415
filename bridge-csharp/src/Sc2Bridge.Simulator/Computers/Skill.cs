using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>What a difficulty means. Times in game loops.</summary>
/// <param name="ThinkEvery">Loops between two thoughts.</param>
/// <param name="Workers">The most workers.</param>
/// <param name="Bases">The most bases.</param>
/// <param name="BusyPercent">How many of its producers it uses when it thinks, in percent.</param>
/// <param name="FirstAttack">The loop of the first, small attack at the earliest.</param>
/// <param name="AttackFood">Army supply, in halves, that it attacks with from then on.</param>
/// <param name="ArmyFood">The most army supply, in halves.</param>
/// <param name="Tumors">The most creep tumours.</param>
/// <param name="Upgrades">Whether it researches.</param>
/// <param name="MainAttack">The loop of the second attack at the earliest.</param>
/// <param name="IncomePercent">What it gets for what its workers bring: more than 100 for the cheating levels.</param>
/// <param name="SeesAll">Whether it attacks what it has not seen.</param>
/// <param name="WorkersFight">Whether its workers meet a rush.</param>
internal sealed record Skill(
    int ThinkEvery, int Workers, int Bases, int BusyPercent, int FirstAttack, int AttackFood, int ArmyFood, int Tumors,
    bool Upgrades, int MainAttack = 0, int IncomePercent = 100, bool SeesAll = false, bool WorkersFight = true)
{
    private const int NoLimit = 400;

    /// <summary>The skill of a difficulty, from VeryEasy to CheatInsane.</summary>
    public static Skill Of(Difficulty difficulty) => difficulty switch
    {
        Difficulty.VeryEasy => new(128, 12, 1, 20, 9000, 16, 24, 0, false, WorkersFight: false),
        Difficulty.Easy => new(64, 18, 2, 40, 7000, 24, 60, 0, false),
        Difficulty.Medium => new(48, 22, 2, 45, 6600, 40, 80, 4, false),
        Difficulty.MediumHard => new(32, 28, 2, 55, 6600, 70, 110, 8, true),
        Difficulty.Hard => new(24, 36, 3, 65, 7500, 110, 150, 16, true),
        Difficulty.Harder => new(16, 44, 3, 75, 7500, 160, 200, 24, true),
        Difficulty.CheatVision => new(8, 70, 8, 100, 7500, 300, NoLimit, 200, true, 15_600, SeesAll: true),
        Difficulty.CheatMoney => new(8, 70, 8, 100, 7000, 300, NoLimit, 200, true, 13_000, 150, true),
        Difficulty.CheatInsane => new(8, 70, 9, 100, 6500, 300, NoLimit, 200, true, 11_000, 200, true),
        _ => new(8, 70, 8, 100, 9000, 300, NoLimit, 200, true, 16_000),
    };
}
