using Sc2Bridge.Simulator.Computers;

namespace Sc2Bridge.Simulator.Tests.World;

public sealed class CombatTests
{
    private const int Marine = 48;
    private const int Roach = 110;
    private const int Hatchery = 86;

    [Fact]
    public void A_weapon_keeps_its_range_and_its_rate()
    {
        var arena = new Arena();
        var marine = arena.Add(Marine, 1, 40, 40);
        var hatchery = arena.Add(Hatchery, 2, 52.5, 40.5);
        Arena.Tell(marine, Arena.AttackAbility, hatchery);
        Assert.False(Combat.InRange(arena.World, marine, hatchery));
        arena.RunUntil(() => hatchery.Health < 1500 * 256, 400);
        Assert.InRange(
            Geometry.Length(hatchery.X - marine.X, hatchery.Y - marine.Y) - hatchery.Type.Radius - marine.Type.Radius,
            Arena.Cells(4.5),
            Arena.Cells(5.1));

        // 0.86083984 seconds of 16 loops: 400 loops are 29 shots of 6 less 1 for armour. The hatchery heals 35/256 each 8 loops.
        var before = hatchery.Health;
        arena.Run(400);
        var shots = (before + (50 * 35) - hatchery.Health) / (5.0 * 256);
        Assert.InRange(shots, 28.9, 29.5);
    }

    /// <summary>python-sc2's examples call <c>unit.attack(place)</c> repeatedly: in every step, zerg_rush.py in every second loop.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Repeated_attack_commands_fight_as_one_does(int every)
    {
        Assert.InRange(Left(every), 1, Left(int.MaxValue) * 1.02);

        static double Left(int every)
        {
            var arena = new Arena();
            var marine = arena.Add(Marine, 1, 40, 40);
            var hatchery = arena.Add(Hatchery, 2, 46.5, 40.5);
            var issuer = new CommandIssuer(arena.World, arena.World.PlayerOf(1));
            for (var loop = 0; loop < 400; loop++)
            {
                Assert.True(loop % every != 0 || issuer.Do(marine, 3674, Arena.Cells(20 + (loop % 3 * 20)), Arena.Cells(60)));
                arena.Run(1);
            }

            return hatchery.Health;
        }
    }

    [Theory]
    [InlineData(51, Roach, 20)]      // marauder, armoured
    [InlineData(51, Marine, 10)]     // light
    [InlineData(83, Roach, 50)]      // immortal
    [InlineData(32, Roach, 70)]      // siege tank
    [InlineData(53, 105, 14)]        // hellion, zergling
    [InlineData(80, 74, 10)]         // void ray, stalker: the weapon is not in ResponseData
    public void A_weapon_hits_harder_what_it_is_good_against(int attacker, int target, int points)
    {
        var type = TechTree.Unit(attacker);
        var weapon = Arms.Against(type, flying: false)!;
        var player = new Arena().World.PlayerOf(1);
        Assert.Equal(points, Hits.DamageTo(player, type, weapon, TechTree.Unit(target)));
    }

    /// <summary>python-sc2's DAMAGE_BONUS_PER_UPGRADE, which its damagetest_bot.py compares with the game.</summary>
    [Theory]
    [InlineData(74, false, Roach, 13 + 5 + 2)]   // stalker, armoured: 1 per level and 1 more for the attribute
    [InlineData(51, false, Roach, 10 + 10 + 2)]  // marauder
    [InlineData(53, false, 105, 8 + 6 + 2)]      // hellion, light
    [InlineData(4, false, 105, 10 + 5 + 2)]      // colossus
    [InlineData(52, true, 78, 6 + 6 + 2)]        // Thor at a phoenix
    [InlineData(112, true, 57, 14 + 6 + 2)]      // corruptor, massive
    [InlineData(35, true, 80, 10 + 4 + 1)]       // viking fighter: no increase for the attribute
    [InlineData(78, true, 78, 5 + 5 + 1)]        // phoenix: no bonus at all
    [InlineData(32, false, Roach, 40 + 30 + 5)]  // sieged tank: 4 and 1
    [InlineData(109, false, Roach, 35 + 3)]      // ultralisk
    [InlineData(734, false, Roach, 75 + 5)]      // liberator
    public void A_level_adds_to_the_damage_and_to_an_attributes_bonus(int attacker, bool flying, int target, int points)
    {
        var type = TechTree.Unit(attacker);
        var player = new Arena().World.PlayerOf(1);
        player.Upgrades.UnionWith([7, 30, 36, 39, 53, 59, 68, 78]);
        Assert.Equal(points, Hits.DamageTo(player, type, Arms.Against(type, flying)!, TechTree.Unit(target)));
    }

    /// <summary>Infernal Pre-Igniter (Liquipedia: hellion +5, hellbat +12 against light).</summary>
    [Theory]
    [InlineData(53, 8 + 6 + 5)]
    [InlineData(484, 18 + 12)]
    public void Infernal_pre_igniter_burns_light_units(int attacker, int points)
    {
        var type = TechTree.Unit(attacker);
        var player = new Arena().World.PlayerOf(1);
        player.Upgrades.Add(19);
        Assert.Equal(points, Hits.DamageTo(player, type, Arms.Against(type, false)!, TechTree.Unit(105)));
        Assert.Equal(type.Weapons[0].Damage, Hits.DamageTo(player, type, Arms.Against(type, false)!, TechTree.Unit(Roach)));
    }

    [Theory]
    [InlineData(35, 2 * (10 + 4 - 0))] // viking fighter
    [InlineData(23, 2 * 12)]           // missile turret
    [InlineData(496, 30 + 22)]         // tempest: the stronger weapon
    public void Weapons_against_flying_units_shoot_at_a_colossus(int attacker, int points)
    {
        var arena = new Arena(second: Race.Protoss);
        var colossus = arena.Add(4, 2, 44, 40);
        var unit = arena.Add(attacker, 1, 40, 40);
        Assert.True(arena.RunUntil(() => colossus.Shield < 150 * 256, 60) > 0);
        Assert.Equal((150 - points) * 256, colossus.Shield);
    }

    [Fact]
    public void Armour_and_its_upgrades_take_points_off_but_half_a_point_goes_through()
    {
        var arena = new Arena();
        var zealot = arena.Add(73, 1, 40, 40);
        var ultralisk = arena.Add(109, 2, 40, 41);
        var weapon = Arms.Against(zealot.Type, flying: false)!;
        Hits.Strike(arena.World, zealot, ultralisk, weapon, 100);
        Assert.Equal((500 - (2 * 6)) * 256, ultralisk.Health);
        arena.World.PlayerOf(2).Upgrades.UnionWith([56, 57, 58]);
        Hits.Strike(arena.World, zealot, ultralisk, weapon, 100);
        Assert.Equal((500 - 12 - (2 * 3)) * 256, ultralisk.Health);
        var zergling = arena.Add(105, 1, 41, 41);
        Hits.Strike(arena.World, zergling, ultralisk, Arms.Against(zergling.Type, false)!, 100);
        Assert.Equal(((500 - 12 - 6) * 256) - 128, ultralisk.Health);
    }

    /// <summary>python-sc2's unit.py.</summary>
    [Fact]
    public void Chitinous_plating_is_two_points_of_an_ultralisks_armour()
    {
        var arena = new Arena();
        var (marine, ultralisk) = (arena.Add(Marine, 1, 40, 40), arena.Add(109, 2, 40, 43));
        arena.World.PlayerOf(2).Upgrades.Add(4);
        Hits.Strike(arena.World, marine, ultralisk, Arms.Against(marine.Type, false)!, 100);
        Assert.Equal((500 - (6 - 4)) * 256, ultralisk.Health);
    }

    [Fact]
    public void Shields_go_first_and_come_back_ten_seconds_after_the_last_hit()
    {
        var arena = new Arena(second: Race.Protoss);
        var marine = arena.Add(Marine, 1, 40, 40);
        var zealot = arena.Add(73, 2, 43, 40);
        Hits.Strike(arena.World, marine, zealot, Arms.Against(marine.Type, false)!, 100);
        Assert.Equal((44 * 256, 100 * 256), (zealot.Shield, zealot.Health));
        arena.World.Remove(marine, died: false);
        arena.Run(160);
        Assert.Equal(44 * 256, zealot.Shield);
        arena.Run(16);
        Assert.Equal(46 * 256, zealot.Shield);
    }

    [Fact]
    public void A_siege_tank_hits_what_stands_around_and_its_own_too()
    {
        var arena = new Arena();
        var tank = arena.Add(32, 1, 40, 40);
        var zerglings = arena.AddMany(105, 2, 4, 48, 40);
        var marine = arena.Add(Marine, 1, 48.4, 40.8);
        Arena.Tell(marine, 18);
        arena.Run(17);
        Assert.DoesNotContain(zerglings.Take(2), z => z.Alive);
        Assert.True(marine.Health < 45 * 256);
        Assert.Equal(2, tank.Orders.Count + 2);
    }

    [Fact]
    public void Idle_soldiers_fight_who_comes_near_and_workers_do_not()
    {
        var arena = new Arena();
        arena.Add(Marine, 1, 40, 40);
        var roach = arena.Add(Roach, 2, 44, 40);
        arena.Run(30);
        Assert.True(roach.Health < 145 * 256);
        var other = new Arena();
        other.Add(45, 1, 40, 40);
        var drone = other.Add(104, 2, 41, 40);
        other.Run(60);
        Assert.Equal(40 * 256, drone.Health);
    }

    [Fact]
    public void Units_that_are_shot_at_from_afar_attack_the_shooter()
    {
        var arena = new Arena();
        arena.Add(54, 1, 47, 40);
        arena.Add(106, 2, 41, 44);
        var tank = arena.Add(32, 1, 40, 40);
        var roach = arena.Add(Roach, 2, 52, 40);
        Assert.NotEqual(-1, arena.RunUntil(() => roach.Health < 100 * 256 && roach.Engaged == tank, 60));
        Assert.NotEqual(-1, arena.RunUntil(() => Combat.Within(roach, tank, Arena.Cells(5)) || !roach.Alive, 120));
        Assert.True(roach.X < Arena.Cells(51));
    }

    [Fact]
    public void A_death_is_told_counted_and_ends_orders_on_the_dead()
    {
        var arena = new Arena();
        var marines = arena.AddMany(Marine, 1, 8, 40, 40);
        var zergling = arena.Add(105, 2, 43, 43);
        arena.Run(8);
        Array.ForEach(marines, m => Arena.Tell(m, Arena.AttackAbility, zergling));
        Assert.NotEqual(-1, arena.RunUntil(() => !zergling.Alive, 100));
        arena.Run(2);
        Assert.All(marines, m => Assert.Empty(m.Orders));
        Assert.Contains(zergling.Tag, arena.World.EventsOf(1).Dead);
        Assert.Contains(zergling.Tag, arena.World.EventsOf(2).Dead);
        Assert.Contains(Alert.UnitUnderAttack, arena.World.EventsOf(2).Alerts);
        var (killer, loser) = (arena.World.PlayerOf(1).Score, arena.World.PlayerOf(2).Score);
        Assert.Equal((25, 25, 1), (killer.KilledUnits, loser.Lost.Minerals[1], loser.UnitsLost));
        Assert.Equal(35 * 256, killer.DamageDealtLife);
        Assert.Equal(0, arena.World.PlayerOf(2).Count[zergling.Type.Index]);
    }

    [Fact]
    public void Cloaked_units_are_fought_only_if_a_detector_sees_them()
    {
        var arena = new Arena(second: Race.Protoss);
        arena.AddMany(Marine, 1, 4, 40, 40);
        var templar = arena.Add(76, 2, 44, 43);
        Arena.Tell(templar, 18);
        arena.Run(60);
        Assert.True(templar.Cloaked);
        Assert.Equal(40 * 256, templar.Health);
        arena.Add(56, 1, 40, 42);
        Assert.NotEqual(-1, arena.RunUntil(() => !templar.Alive, 400));
    }

    [Theory]
    [InlineData(1, 48, 40, 105, 80)]
    [InlineData(2, 73, 30, 110, 30)]
    [InlineData(3, 33, 14, 107, 30)]
    [InlineData(4, 108, 20, 74, 20)]
    [InlineData(5, 109, 10, 83, 10)]
    public void A_fight_of_two_armies_ends_and_is_the_same_each_time(
        uint seed, int ours, int ourCount, int theirs, int theirCount)
    {
        var (first, loops) = Fight();
        var (second, _) = Fight();
        Assert.InRange(loops, 1, 2500);
        Assert.Equal(first, second);

        (long, int) Fight()
        {
            var arena = new Arena(seed);
            var one = arena.AddMany(ours, 1, ourCount, 24, 50);
            var other = arena.AddMany(theirs, 2, theirCount, 66, 54);
            Array.ForEach(one, u => Arena.Tell(u, Arena.AttackAbility, 69, 56));
            Array.ForEach(other, u => Arena.Tell(u, Arena.AttackAbility, 26, 54));
            var over = arena.RunUntil(() => Alive(one) == 0 || Alive(other) == 0, 2500);
            return (arena.Fingerprint(), over);
        }

        static int Alive(Unit[] units) => units.Count(u => u.Alive);
    }
}
