using Sc2Bridge.Simulator.Fights;

namespace Sc2Bridge.Simulator.Tests.Fights;

/// <summary>Fights that begin from an observation end as the match does.</summary>
public sealed class FightTests(ITestOutputHelper output)
{
    private const int Loops = 448; // 20 seconds
    private const int Longest = 4000;

    [Fact]
    [Trait("Suite", "Slow")]
    public void The_winner_is_the_one_of_the_match_that_goes_on()
    {
        var (right, wrong, open) = (0, new List<string>(), new Dictionary<(int, int), int>());
        for (var seed = 0; seed < Cases.Of(1000); seed++)
        {
            var random = new Random(seed);
            var fight = new RandomFight(random);
            fight.Step(random.Next(0, 150));
            if (fight.HasEnded)
            {
                continue;
            }

            var (units, field, loop) = (fight.Units(), fight.Field, fight.Loop);
            var foreseen = field.Play(units, ([], []), default, Loops, 1, new FightLife[units.Length]).Winner;
            var actual = fight.PlayOn(Longest);
            if (foreseen == 0 || actual == 0)
            {
                open[(foreseen, actual)] = open.GetValueOrDefault((foreseen, actual)) + 1;
            }
            else if (foreseen == actual)
            {
                right++;
            }
            else
            {
                wrong.Add($"seed {seed}, loop {loop}: {units.Count(unit => unit.Side == 0)} against {units.Count(unit => unit.Side == 1)}");
            }
        }

        output.WriteLine($"right {right}, wrong {wrong.Count}, undecided {string.Join(' ', open)}");
        wrong.ForEach(output.WriteLine);
        Assert.True(right >= 0.95 * (right + wrong.Count), $"{right} right, {wrong.Count} wrong");
    }

    [Fact]
    public void The_same_arguments_give_the_same_fight_and_seeds_differ()
    {
        FightUnit[] units = [.. Enumerable.Range(0, 16).Select(i => Put(UnitId.Marine, i / 8, 20 + (i / 8 * 3), 16 + (i % 8), 45))];
        var plays = new[] { 1u, 1u, 2u, 3u, 4u }.Select(seed =>
        {
            var lives = new FightLife[units.Length];
            return (Result: Field().Play(units, ([], []), default, Loops, seed, lives), Lives: string.Join(' ', lives));
        }).ToArray();
        Assert.Equal(plays[0], plays[1]);
        Assert.True(plays.Distinct().Count() > 2);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Cannons_fight_only_near_a_pylon(bool isPowered)
    {
        FightUnit[] units =
        [
            Put(UnitId.PhotonCannon, 0, 20, 24, 150), Put(UnitId.Pylon, 0, isPowered ? 17 : 2, 24, 200), Put(UnitId.Marine, 1, 30, 24, 45),
        ];
        Assert.Equal(isPowered ? 1 : 2, Field().Play(units, ([], []), default, 5 * Loops, 1, new FightLife[3]).Winner);
    }

    private static FightField Field() => new RandomFight(new Random(1)).Field;

    private static FightUnit Put(int type, int side, float x, float y, int life) =>
        new((uint)type, side, x, y, 0, 1, life, 0, 0, 0, WeaponCooldown: -1, -1, 0, 0, 0);
}
