using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>What a difficulty means. Times in game loops.</summary>
/// <param name="ThinkEvery">Loops between two thoughts.</param>
/// <param name="Workers">The most workers.</param>
/// <param name="Bases">The most bases.</param>
/// <param name="BusyPercent">How many of its producers it uses when it thinks, in percent.</param>
/// <param name="FirstAttack">The loop of the first attack at the earliest.</param>
/// <param name="AttackFood">Army supply, in halves, that it attacks with.</param>
/// <param name="ArmyFood">The most army supply, in halves.</param>
/// <param name="Upgrades">Whether it researches.</param>
/// <param name="IncomePercent">What it gets for what its workers bring: more than 100 for the cheating levels.</param>
/// <param name="SeesAll">Whether it attacks what it has not seen.</param>
internal sealed record Skill(
    int ThinkEvery, int Workers, int Bases, int BusyPercent, int FirstAttack, int AttackFood, int ArmyFood,
    bool Upgrades, int IncomePercent = 100, bool SeesAll = false)
{
    private const int NoLimit = 400;

    /// <summary>The skill of a difficulty, from VeryEasy to CheatInsane.</summary>
    public static Skill Of(Difficulty difficulty) => difficulty switch
    {
        Difficulty.VeryEasy => new(96, 14, 1, 25, 7600, 16, 40, false),
        Difficulty.Easy => new(64, 18, 2, 40, 7000, 24, 60, false),
        Difficulty.Medium => new(48, 26, 2, 55, 6400, 36, 100, false),
        Difficulty.MediumHard => new(32, 34, 3, 70, 6000, 50, 140, true),
        Difficulty.Hard => new(24, 44, 3, 85, 5600, 70, 200, true),
        Difficulty.Harder => new(16, 56, 4, 95, 5600, 90, 280, true),
        Difficulty.CheatVision => new(16, 66, 5, 100, 5600, 110, NoLimit, true, SeesAll: true),
        Difficulty.CheatMoney => new(16, 66, 5, 100, 5200, 120, NoLimit, true, 150, true),
        Difficulty.CheatInsane => new(16, 66, 6, 100, 4800, 130, NoLimit, true, 200, true),
        _ => new(16, 66, 5, 100, 5600, 110, NoLimit, true),
    };
}
