using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// How well a computer plays, by difficulty. Made up: only the order of the difficulties is the game's.
/// </summary>
/// <param name="Period">Game loops from decision to decision.</param>
/// <param name="Workers">Most workers that it makes.</param>
/// <param name="HalfArmy">Most army supply, in halves, that it makes.</param>
/// <param name="Bases">Most bases that it takes.</param>
internal readonly record struct Skill(int Period, int Workers, int HalfArmy, int Bases)
{
    /// <summary>The skill of a difficulty.</summary>
    public static Skill Of(Difficulty difficulty) => difficulty switch
    {
        Difficulty.VeryEasy => new(160, 20, 30, 1),
        Difficulty.Easy => new(112, 28, 60, 2),
        Difficulty.Medium => new(80, 36, 100, 2),
        Difficulty.MediumHard => new(56, 46, 150, 3),
        Difficulty.Hard => new(40, 56, 200, 3),
        Difficulty.Harder => new(28, 62, 250, 4),
        _ => new(16, 80, 400, 7),
    };
}
