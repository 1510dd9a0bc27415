using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.Tests.World;
using Effect = Sc2Bridge.Simulator.World.Effect;
using PlayerSpec = Sc2Bridge.Simulator.World.PlayerSpec;

namespace Sc2Bridge.Simulator.Tests.Observing;

/// <summary>The parts of an observation in addition to its units: events, effects, upgrades, buffs; and its size.</summary>
public sealed class ObservationTests
{
    private const int Marine = 48;

    public static TheoryData<string> Maps => [.. GameMap.All.Select(m => m.Name)];

    [Theory]
    [MemberData(nameof(Maps))]
    public void At_a_start_it_is_as_large_as_a_real_one(string map)
    {
        // Measured on 96 maps of the game: 34 to 86 KiB.
        PlayerSpec Spec(Race race) => new(PlayerType.Participant, race, Difficulty.Easy, AIBuild.RandomBuild, "");
        foreach (var race in new[] { Race.Terran, Race.Zerg, Race.Protoss })
        {
            var world = new GameWorld(GameMap.Find(map)!, [Spec(race), Spec(Race.Terran)], 1);
            Assert.InRange(world.By(1).CalculateSize(), 34 << 10, 86 << 10);
        }
    }

    [Fact]
    public void Of_a_match_part_changes_with_each_step_and_part_stays()
    {
        var game = Game.Joined(Game.Create(seed: 2));
        game.Step(6000);
        var (changed, all) = (0, 0);
        for (var i = 0; i < 20; i++)
        {
            var before = game.Observe().Observation.Observation.RawData.Units.ToDictionary(u => u.Tag);
            game.Step();
            var units = game.Observe().Observation.Observation.RawData.Units;
            changed += units.Count(u => !before.TryGetValue(u.Tag, out var was) || !was.Equals(u));
            all += units.Count;
            game.Step(49);
        }

        Assert.InRange(100 * changed / all, 3, 60);
    }

    [Fact]
    public void A_weapon_that_is_ready_says_0_however_long_it_has_been()
    {
        // Clients check exactly this: python-sc2's weapon_ready.
        var arena = new Arena(second: Race.Terran);
        var marine = arena.Add(Marine, 1, 40, 40);
        float Said() => arena.World.By(1).Observation.RawData.Units.Single(u => u.Tag == marine.Tag).WeaponCooldown;
        Assert.Equal(0, Said());
        for (var i = 0; i < 5; i++)
        {
            arena.World.Step();
        }

        Assert.Equal(0, Said());
        marine.WeaponLeft = 640;
        Assert.Equal(2.5, Said());
    }

    [Fact]
    public void An_attack_is_warned_of_once_in_ten_seconds()
    {
        var arena = new Arena(second: Race.Terran);
        var marine = arena.Add(Marine, 1, 40, 40);
        var depot = arena.Add(19, 1, 48, 48);
        Combat.Hurt(arena.World, 2, marine, 256);
        Combat.Hurt(arena.World, 2, marine, 256);
        Combat.Hurt(arena.World, 2, depot, 5 * 256);
        Assert.Equal([Alert.UnitUnderAttack, Alert.BuildingUnderAttack], arena.World.By(1).Observation.Alerts);
        arena.Run(100);
        Combat.Hurt(arena.World, 2, marine, 256);
        Assert.Empty(arena.World.By(1).Observation.Alerts);
        arena.Run(200);
        Combat.Hurt(arena.World, 2, marine, 256);
        Assert.Equal([Alert.UnitUnderAttack], arena.World.By(1).Observation.Alerts);
        Assert.Empty(arena.World.By(2).Observation.Alerts);
    }

    [Fact]
    public void Finished_units_and_research_raise_alerts_and_upgrades_are_listed_to_their_owner()
    {
        var game = new TestWorld(Race.Terran).Rich();
        game.Order(game.Hall, 524);
        Assert.True(game.StepUntil(() => game.Count(45) > 12, 400));
        Assert.Contains(Alert.TrainWorkerComplete, game.World.By(1).Observation.Alerts);
        Assert.DoesNotContain(Alert.TrainWorkerComplete, game.World.By(1).Observation.Alerts);
        Upgrades.Gain(game.World, game.Player, 7);
        Assert.Equal([7u], game.World.By(1).Observation.RawData.Player.UpgradeIds);
        Assert.Empty(game.World.By(2).Observation.RawData.Player.UpgradeIds);
        var marine = game.World.Add(TechTree.Unit(Marine), 1, game.Start.X + (5 * Geometry.Cell), game.Start.Y);
        Assert.Equal(1, game.World.By(1).Find(marine)!.AttackUpgradeLevel);
    }

    [Fact]
    public void A_late_failure_is_reported_with_its_unit_its_ability_and_why()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var (x, y) = game.Site(319);
        Assert.Equal(ActionResult.Success, game.Order(game.Worker, 319, CommandTarget.At(x, y)));
        var worker = game.First(u => u.Orders.Count > 0 && u.Orders[0].Ability.Id == 319);
        game.Rich(0, 0);
        Assert.True(game.StepUntil(() => game.World.EventsOf(1).Errors.Count > 0, 400));
        var seen = game.World.By(1);
        var error = Assert.Single(seen.ActionErrors);
        Assert.Equal((worker.Tag, 319ul), (error.UnitTag, error.AbilityId));
        Assert.Equal(ActionResult.NotEnoughMinerals, error.Result);
        Assert.Contains(Alert.Error, seen.Observation.Alerts);
        Assert.Empty(game.World.By(1).ActionErrors);
        Assert.Empty(game.World.By(2).ActionErrors);
    }

    [Fact]
    public void Effects_are_reported_to_their_owner_and_to_players_that_see_them()
    {
        var arena = new Arena();
        arena.World.Effects.Add(new Effect(EffectId.ScannerSweep, 1, Arena.Cells(40), Arena.Cells(70), 1000));
        arena.Run(8);
        var own = Assert.Single(arena.World.By(1).Observation.RawData.Effects);
        Assert.Equal((6u, Alliance.Self, 1, 13f), (own.EffectId, own.Alliance, own.Owner, own.Radius));
        Assert.Equal((40f, 70f), (own.Pos[0].X, own.Pos[0].Y));
        Assert.Empty(arena.World.By(2).Observation.RawData.Effects);
        arena.Add(105, 2, 42, 70);
        arena.Run(8);
        Assert.Equal(Alliance.Enemy, Assert.Single(arena.World.By(2).Observation.RawData.Effects).Alliance);
        Assert.Single(arena.World.By(0).Observation.RawData.Effects);
    }

    [Fact]
    public void Buffs_are_reported_of_own_units_and_of_enemies_in_sight()
    {
        var arena = new Arena(second: Race.Terran);
        var (own, enemy) = (arena.Add(Marine, 1, 40, 40), arena.Add(Marine, 2, 46, 40));
        arena.Run(8);
        Buffs.Put(own, BuffId.Stimpack, arena.World.Loop + 100);
        Buffs.Put(enemy, BuffId.Stimpack, arena.World.Loop + 100);
        var seen = arena.World.By(1);
        Assert.All([own, enemy], u => Assert.Equal([(uint)BuffId.Stimpack], seen.Find(u)!.BuffIds));
        arena.Run(101);
        Assert.Empty(arena.World.By(1).Find(own)!.BuffIds);
    }
}
