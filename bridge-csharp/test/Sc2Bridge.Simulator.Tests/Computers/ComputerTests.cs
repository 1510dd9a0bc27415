using Sc2Bridge.Simulator.Computers;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Tests.Computers;

public sealed class ComputerTests(ITestOutputHelper output)
{
    private const int Attack = 3674;
    private static readonly Race[] _races = [Race.Terran, Race.Zerg, Race.Protoss];

    [Fact]
    [Trait("Suite", "Long")]
    public async Task Elite_beats_Easy_at_least_19_times_of_20()
    {
        var wins = 0;
        await EachAsync(Enumerable.Range(1, 20), seed =>
        {
            var elite = ComputerMatch.Player(_races[seed % 3]);
            var easy = ComputerMatch.Player(_races[seed / 3 % 3], Difficulty.Easy);
            var swapped = seed % 2 == 0;
            var world = swapped
                ? ComputerMatch.Play(easy, elite, (uint)seed, 30_000)
                : ComputerMatch.Play(elite, easy, (uint)seed, 30_000);
            var won = world.PlayerOf(swapped ? 2 : 1).Result == Result.Victory;
            output.WriteLine($"seed {seed}: {elite.Race} Elite against {easy.Race} Easy: {won} at loop {world.Loop}");
            Interlocked.Add(ref wins, won ? 1 : 0);
        });
        Assert.InRange(wins, 19, 20);
    }

    [Fact]
    [Trait("Suite", "Long")]
    public Task An_idle_player_has_lost_to_an_Elite_before_loop_12_000() =>
        EachAsync(Enumerable.Range(0, 12), number =>
    {
        var elite = ComputerMatch.Player(_races[number % 3]);
        var nobody = ComputerMatch.Nobody(_races[number / 3 % 3]);
        var world = ComputerMatch.Play(elite, nobody, (uint)number + 1, 12_000);
        output.WriteLine($"{elite.Race} against an idle {nobody.Race}, seed {number + 1}: loop {world.Loop}");
        Assert.Equal(Result.Victory, world.PlayerOf(1).Result);
        Assert.InRange(world.Loop, 1, 11_999);
    });

    [Fact]
    [Trait("Suite", "Long")]
    public Task In_a_mirror_of_Elites_each_loses_fifty_units_before_the_end() =>
        EachAsync(Enumerable.Range(0, 6), number =>
        {
            var elite = ComputerMatch.Player(_races[number % 3]);
            var world = ComputerMatch.Play(elite, elite, (uint)number + 1, 45_000);
            var lost = world.Players.Select(p => p.Score.UnitsLost).ToArray();
            output.WriteLine($"{elite.Race} mirror, seed {number + 1}: loop {world.Loop}, lost {lost[0]} and {lost[1]}");
            Assert.True(world.Ended);
            Assert.All(lost, count => Assert.InRange(count, 50, int.MaxValue));
        });

    [Fact]
    [Trait("Suite", "Long")]
    public Task Elites_fill_their_supply() => EachAsync(_races, race =>
    {
        var full = new int[2];
        ComputerMatch.Play(ComputerMatch.Player(race), ComputerMatch.Player(race), 1, 15_000, world =>
        {
            foreach (var player in world.Players)
            {
                if (full[player.Id - 1] == 0 && player.HalfFoodUsed >= 396)
                {
                    full[player.Id - 1] = world.Loop;
                }
            }
        });
        output.WriteLine($"{race}: 198 of 200 at loops {full[0]} and {full[1]}");
        Assert.All(full, loop => Assert.InRange(loop, 9000, 15_000));
    });

    [Fact]
    [Trait("Suite", "Long")]
    public async Task Each_difficulty_is_stronger_than_the_one_before()
    {
        // Both players have the same race, and each plays both sides, so that only the difficulty differs.
        const int Matches = 6;
        var ahead = new int[7];
        await EachAsync(Enumerable.Range(0, 6 * Matches), number =>
        {
            var weaker = Difficulty.VeryEasy + (number % 6);
            var race = _races[number / 6 % 3];
            var stronger = number / 18 == 0 ? 2 : 1;
            var world = stronger == 2
                ? ComputerMatch.Play(Player(race, weaker), Player(race, weaker + 1), (uint)number + 1, 20_000)
                : ComputerMatch.Play(Player(race, weaker + 1), Player(race, weaker), (uint)number + 1, 20_000);
            Interlocked.Add(ref ahead[(int)weaker], ComputerMatch.Ahead(world) == stronger ? 1 : 0);
        });
        for (var weaker = Difficulty.VeryEasy; weaker < Difficulty.VeryHard; weaker++)
        {
            output.WriteLine($"{weaker + 1} ahead of {weaker}: {ahead[(int)weaker]} of {Matches}");
        }

        for (var weaker = Difficulty.VeryEasy; weaker < Difficulty.VeryHard; weaker++)
        {
            Assert.InRange(ahead[(int)weaker], 4, Matches);
        }

        static PlayerSpec Player(Race race, Difficulty difficulty) => ComputerMatch.Player(race, difficulty);
    }

    // python-sc2's workflow (test/run_example_bots_vs_computer.py) expects that none of its example bots beats an Easy computer
    // within 240 seconds. One of these bots attacks with its twelve workers.
    [Fact]
    public Task Twelve_workers_have_not_beaten_an_Easy_computer_after_240_seconds() => EachAsync(_races, race =>
    {
        var world = new GameWorld(
            GameMap.Find(Game.Map)!, [ComputerMatch.Nobody(Race.Zerg), ComputerMatch.Player(race, Difficulty.Easy)], 1);
        var computers = Computer.Of(world);
        var target = world.Map.Bases[world.PlayerOf(2).StartBase];
        var rush = new CommandIssuer(world, world.PlayerOf(1));
        foreach (var worker in world.Units.Where(unit => unit.Owner == 1 && unit.Type.Is(Kind.Worker)).ToList())
        {
            Assert.True(rush.Do(worker, Attack, target.X, target.Y));
        }

        while (world.Loop < 240 * 22.4 && !world.Ended)
        {
            Array.ForEach(computers, computer => computer.Think());
            world.Step();
        }

        output.WriteLine($"{race}: " + string.Join(" against ", world.Players.Select(player =>
            world.Units.Count(unit => unit.Alive && unit.Owner == player.Id && unit.Type.Is(Kind.Worker)))) + " workers");
        Assert.False(world.Ended, $"{race}: ended at loop {world.Loop}");
    });

    [Theory]
    [InlineData(0, true)]
    [InlineData(8, false)]
    public void Workers_fight_at_any_time_while_there_is_no_army_to_do_it(int marines, bool fight)
    {
        var world = ComputerMatch.Play(
            ComputerMatch.Nobody(Race.Zerg), ComputerMatch.Player(Race.Terran, Difficulty.Easy), 1, 6000);
        var computers = Computer.Of(world);
        foreach (var unit in world.Units.Where(u => u.Owner == 2 && u.Type.Is(Kind.Army)).ToList())
        {
            world.Remove(unit, died: true);
        }

        var hall = world.Units.First(u => u.Owner == 2 && u.Type.Is(Kind.TownHall));
        for (var i = 0; i < marines; i++)
        {
            world.Add(TechTree.Unit(UnitId.Marine), 2, hall.X + ((i - 4) * Geometry.Cell), hall.Y - (5 * Geometry.Cell));
        }

        for (var i = 0; i < 6; i++)
        {
            world.Add(TechTree.Unit(UnitId.Zergling), 1, hall.X - (4 * Geometry.Cell), hall.Y + ((i - 3) * Geometry.Cell))
                .Orders.Add(new Order(TechTree.Ability(Attack)) { HasPoint = true, X = hall.X, Y = hall.Y });
        }

        var fought = false;
        for (var i = 0; i < 200; i++)
        {
            Array.ForEach(computers, computer => computer.Think());
            world.Step();
            fought |= world.Units.Any(u => u.Owner == 2 && u.Type.Is(Kind.Worker) && u.Order?.Ability.Id is Attack or AbilityId.AttackAttack);
        }

        Assert.Equal(fight, fought);
    }

    // From the game's own scripts (Facts/waves.tsv): 35 zerglings and 2 roaches came at loop 7,900, 23 marines of 6 barracks at 8:20.
    [Fact]
    public Task An_Easy_computer_has_no_more_army_than_the_games_own() => EachAsync(_races, race =>
    {
        var most = 0;
        var easy = ComputerMatch.Player(race, Difficulty.Easy) with { Build = AIBuild.Timing };
        ComputerMatch.Play(easy, ComputerMatch.Nobody(Race.Terran), 1, 12_000, world =>
        {
            var army = world.Units.Where(unit => unit.Owner == 1 && unit.Finished && unit.Type.Is(Kind.Army) && unit.Type.Speed > 0
                && unit.Type.Id != UnitId.Queen).Sum(unit => unit.Type.HalfFood);
            most = Math.Max(most, army);
            Assert.True(army <= (world.Loop < 431 * 16 * 97 / 100 ? 16 : 28), $"{race}: {army} halves of supply at loop {world.Loop}");
        });
        output.WriteLine($"{race}: {most / 2.0} supply");
        Assert.InRange(most, 14, 28);
    });

    // MeleeLowAI.galaxy, AITestTimeout: the first wave's time is 375 seconds of 16 loops (-3 % to +5 %). Then the existing units
    // attack (17 supply at most). Later units wait for the second wave's time.
    [Fact]
    public Task A_Hard_computer_sends_its_first_wave_when_its_time_is_up_and_nobody_after_it() => EachAsync(_races, race =>
    {
        var hard = ComputerMatch.Player(race, Difficulty.Hard) with { Build = AIBuild.Timing };
        var (first, most) = (0, 0);
        ComputerMatch.Play(hard, ComputerMatch.Nobody(Race.Terran), 1, 375 * 16 * 5 / 4, world =>
        {
            var home = world.Map.Bases[world.PlayerOf(1).StartBase];
            var away = world.Units.Where(unit => unit.Owner == 1 && unit.Finished && unit.Type.Is(Kind.Army) && unit.Type.Speed > 0
                && Geometry.Length(unit.X - home.X, unit.Y - home.Y) > 50 * Geometry.Cell).Sum(unit => unit.Type.HalfFood);
            (first, most) = (first == 0 && away > 2 ? world.Loop : first, Math.Max(most, away));
        });
        output.WriteLine($"{race}: away at loop {first}, {most / 2.0} supply");
        Assert.InRange(first, 375 * 16 * 97 / 100, 375 * 16 * 12 / 10);
        Assert.InRange(most, 17, 34 + 2);
    });

    [Theory]
    [InlineData(AIBuild.Rush)]
    [InlineData(AIBuild.Timing)]
    [InlineData(AIBuild.Power)]
    [InlineData(AIBuild.Macro)]
    public void Each_scripted_difficulty_has_more_and_attacks_earlier_than_the_one_before(AIBuild build)
    {
        for (var weaker = Difficulty.VeryEasy; weaker < Difficulty.Hard; weaker++)
        {
            var (less, more) = (Skill.Of(weaker, build, _ => 0), Skill.Of(weaker + 1, build, _ => 0));
            Assert.True(less.ThinkEvery > more.ThinkEvery && less.BusyPercent < more.BusyPercent && less.Buildings < more.Buildings);
            Assert.All(less.Phases.Zip(more.Phases), pair => Assert.True(pair.First.Until > pair.Second.Until
                && pair.First.ArmyFood < pair.Second.ArmyFood && pair.First.Workers <= pair.Second.Workers));
        }
    }

    [Theory]
    [InlineData(Difficulty.VeryHard, 100, 100, 100)]
    [InlineData(Difficulty.CheatMoney, 100, 125, 150)]
    [InlineData(Difficulty.CheatInsane, 120, 164, 200)]
    public void Who_cheats_is_given_more_the_longer_it_lasts(Difficulty difficulty, int first, int middle, int last)
    {
        var skill = Skill.Of(difficulty, AIBuild.RandomBuild, _ => 0);
        Assert.Equal([first, middle, last], new[] { 0, 660 * 16, 1200 * 16 }.Select(skill.IncomePercent));
    }

    private static Task EachAsync<T>(IEnumerable<T> of, System.Action<T> play) => Parallel.ForEachAsync(
        of,
        Ct,
        (one, _) =>
        {
            play(one);
            return ValueTask.CompletedTask;
        });
}
