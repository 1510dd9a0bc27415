using Sc2Bridge.Simulator.Commands;

namespace Sc2Bridge.Simulator.Tests.World;

public sealed class CastingTests
{
    private const int Marine = 48;

    [Fact]
    public void Stimmed_marines_are_half_as_fast_again_for_eleven_seconds_and_pay_with_life()
    {
        var arena = new Arena();
        var marine = arena.Add(Marine, 1, 40, 40);
        Arena.Tell(marine, 380);
        arena.Run(1);
        Assert.Equal(35 * 256, marine.Health);
        Assert.Equal(marine.Type.Speed * 3 / 2, Movement.SpeedOf(arena.World, marine));
        arena.Run(246);
        Assert.Empty(marine.Buffs);
        marine.Health = 10 * 256;
        Arena.Tell(marine, 380);
        arena.Run(1);
        Assert.Equal(10 * 256, marine.Health);
        Assert.Equal(ActionResult.NotEnoughLife, Assert.Single(arena.World.EventsOf(1).Errors).Result);
    }

    /// <summary>BehaviorData's KD8ChargeFate, EffectData's KD8SearchArea and ReaperKD8Knockback. The charge is a unit here.</summary>
    [Fact]
    public void A_reapers_charge_goes_off_and_hurts_all_around()
    {
        const int Charge = 830;
        var arena = new Arena();
        var (reaper, own, drone) = (arena.Add(49, 1, 40, 40), arena.Add(Marine, 1, 44, 41), arena.Add(104, 2, 44, 38.5));
        (reaper.WeaponLeft, own.WeaponLeft) = (100 * 256, 100 * 256);
        Arena.Tell(reaper, 2588, 44, 40);
        Assert.True(arena.RunUntil(() => arena.World.Units.Any(u => u.Type.Id == Charge), 10) > 0);
        var before = (own.Health, drone.Health);
        Assert.InRange(arena.RunUntil(() => own.Health < before.Item1, 60), 30, 34);
        Assert.Equal(before.Item1 - (5 * 256), own.Health);
        Assert.Equal(before.Item2 - (5 * 256), drone.Health);
        Assert.InRange(Arena.Distance(own, 44, 40), 3.5, 4.5);
        Assert.DoesNotContain(arena.World.Units, u => u.Alive && u.Type.Id == Charge);
        Assert.InRange(reaper.Cooldowns[2588], 250, 320);
    }

    /// <summary>BehaviorData's RavenShredderMissileArmorReduction: three points less of armour and of shields' armour. python-sc2's
    /// unit.py assumes two; its autotest_bot.py waits for the buff.</summary>
    [Fact]
    public void A_ravens_missile_takes_armour_off_its_target_and_its_neighbours()
    {
        var arena = new Arena(second: Race.Zerg);
        var raven = arena.Add(56, 1, 40, 40);
        raven.Energy = 200 * 256;
        var (target, beside, far) = (arena.Add(109, 2, 46, 40), arena.Add(109, 2, 46, 42), arena.Add(109, 2, 46, 50));
        arena.Run(9);
        Arena.Tell(raven, 3753, target);
        Assert.True(arena.RunUntil(() => target.Buffs.Count > 0, 40) > 0);
        Assert.Equal((125 * 256, 2, 2, 0), (raven.Energy / 256 * 256, target.Buffs.Count, beside.Buffs.Count, far.Buffs.Count));
        var marine = arena.Add(Marine, 1, 42, 40);
        Hits.Strike(arena.World, marine, target, Arms.Against(marine.Type, false)!, 100);
        Assert.Equal((500 - 7) * 256, target.Health);
    }

    /// <summary>python-sc2's battery_overcharge_bot.py: the spell needs a cybernetics core, and 50 of a nexus' energy.</summary>
    [Fact]
    public void An_overcharged_battery_gives_without_energy()
    {
        const int Battery = 1910;
        const int Overcharge = 4107;
        var game = new TestWorld(Race.Protoss).Rich();
        game.Put(60);
        var battery = game.World.Add(TechTree.Unit(Battery), 1, game.First(60).X + (3 * 4096), game.First(60).Y);
        var nexus = game.Hall;
        nexus.Energy = 50 * 256;
        Assert.Equal(ActionResult.TechRequirementsNotMet, game.Order(nexus, Overcharge, CommandTarget.Of(battery)));
        game.World.Add(TechTree.Unit(72), 1, game.First(60).X - (4 * 4096), game.First(60).Y);
        game.Step(8);
        Assert.Equal(ActionResult.Success, game.Order(nexus, Overcharge, CommandTarget.Of(battery)));
        game.Step(2);
        Assert.Contains(battery.Buffs, b => b.Id == 298);
        battery.Energy = 0;
        var zealot = game.World.Add(TechTree.Unit(73), 1, battery.X, battery.Y + (3 * 4096));
        zealot.Shield = 0;
        game.Step(20);
        Assert.Equal(50 * 256, zealot.Shield);
        Assert.Equal(ActionResult.NotEnoughEnergy, game.Order(nexus, Overcharge, CommandTarget.Of(battery)));
    }

    /// <summary>python-sc2's find_adept_shades.py.</summary>
    [Fact]
    public void After_seven_seconds_an_adept_is_at_its_shades_place()
    {
        const int Shade = 801;
        var arena = new Arena(first: Race.Protoss);
        var adept = arena.Add(311, 1, 40, 40);
        var food = arena.World.Players[0].HalfFoodUsed;
        Arena.Tell(adept, 2544, 48, 40);
        arena.Run(2);
        var shade = arena.World.Units.Single(u => u.Type.Id == Shade);
        Assert.Equal(food, arena.World.Players[0].HalfFoodUsed);
        Assert.InRange(arena.RunUntil(() => !shade.Alive, 200), 156, 161);
        Assert.InRange(Arena.Distance(adept, 48, 40), 0, 0.5);
        Assert.Equal(food, arena.World.Players[0].HalfFoodUsed);
        Assert.True(adept.Cooldowns[2544] > 0);
    }

    [Fact]
    public void A_ravens_turret_is_placed_as_a_building_is()
    {
        const int Turret = 31;
        var game = new TestWorld(Race.Terran).Rich(0, 0);
        var raven = game.World.Add(TechTree.Unit(56), 1, game.Start.X, game.Start.Y);
        raven.Energy = 200 * 256;
        Assert.Equal(ActionResult.CantBuildLocationInvalid, game.Query(AbilityId.EffectAutoTurret, game.Hall.X, game.Hall.Y));
        Assert.Equal(
            ActionResult.CantBuildLocationInvalid,
            game.Order(raven, AbilityId.EffectAutoTurret, CommandTarget.Of(game.Hall) with { Unit = null, HasPoint = true }));
        var (x, y) = game.Site(AbilityId.EffectAutoTurret);
        var beside = CommandTarget.At(x + (Geometry.Cell / 4), y - (Geometry.Cell / 4));
        Assert.Equal(ActionResult.Success, game.Order(raven, AbilityId.EffectAutoTurret, beside));
        Assert.True(game.StepUntil(() => game.Count(Turret) == 1, 300));
        Assert.Equal((x, y), (game.First(Turret).X, game.First(Turret).Y));
    }

    [Fact]
    public void A_storm_takes_eighty_points_in_all_and_two_no_more_at_once()
    {
        var arena = new Arena(first: Race.Protoss);
        var templar = arena.Add(75, 1, 40, 40);
        var other = arena.Add(75, 1, 40, 41);
        templar.Energy = other.Energy = 80 * 256;
        var ultralisk = arena.Add(109, 2, 54, 40);
        Arena.Tell(ultralisk, 18);
        Arena.Tell(templar, 1036, 54, 40);
        Arena.Tell(other, 1036, 54, 40);
        arena.RunUntil(() => arena.World.Effects.Count == 2, 200);
        arena.RunUntil(() => arena.World.Effects.Count == 0, 200);
        Assert.InRange(ultralisk.Health / 256, 500 - 95, 500 - 75);
        Assert.InRange(templar.Energy / 256, 5, 15);
        Assert.InRange(Arena.Distance(templar, 54, 40), 8, 9.6);
    }

    [Fact]
    public void A_scan_shows_a_place_and_what_is_cloaked_there_for_a_while()
    {
        var arena = new Arena(second: Race.Protoss);
        var orbital = arena.Add(132, 1, 30.5, 50.5);
        orbital.Energy = 60 * 256;
        var templar = arena.Add(76, 2, 70, 60);
        arena.Run(8);
        Assert.Equal(0, templar.SeenBy & 2);
        Arena.Tell(orbital, 399, 70, 60);
        arena.Run(9);
        Assert.Equal((2, 2), (templar.SeenBy & 2, templar.DetectedBy & 2));
        arena.Run(240);
        Assert.Equal(0, templar.SeenBy & 2);
    }

    [Fact]
    public void A_cloak_lasts_as_long_as_the_energy()
    {
        var arena = new Arena();
        var banshee = arena.Add(55, 1, 40, 40);
        Arena.Tell(banshee, 392);
        arena.Run(8);
        Assert.True(banshee.Cloaked);
        Assert.InRange(banshee.Energy, 24 * 256, 25 * 256);
        Assert.InRange(arena.RunUntil(() => !banshee.Cloaked, 1000), 400, 500);
    }

    [Fact]
    public void A_stalker_blinks_eight_cells_and_never_off_the_ground()
    {
        var arena = new Arena(first: Race.Protoss);
        var stalker = arena.Add(74, 1, 40, 40);
        arena.Run(8);
        Arena.Tell(stalker, 1442, 60, 40);
        arena.Run(1);
        Assert.InRange(stalker.X, Arena.Cells(47.9), Arena.Cells(48.1));
        Arena.Tell(stalker, 1442, 60, 40);
        arena.Run(1);
        Assert.Equal(ActionResult.Cooldown, Assert.Single(arena.World.EventsOf(1).Errors).Result);
        arena.Add(21, 1, 53.5, 40.5);
        arena.Run(160);
        Arena.Tell(stalker, 1442, 53.5, 40.5);
        arena.Run(1);
        Assert.True(arena.OnGround(stalker));
    }

    [Fact]
    public void A_mule_comes_and_goes()
    {
        var arena = new Arena();
        var orbital = arena.Add(132, 1, 30.5, 50.5);
        var field = arena.World.Units.First(u => u.Type.Is(Kind.Minerals) && (u.SeenBy & 2) != 0);
        Arena.Tell(orbital, 171, field);
        arena.Run(1);
        var mule = Assert.Single(arena.World.Units, u => u.Type.Id == 268);
        Assert.Same(field, mule.Order?.Target);
        Assert.InRange(orbital.Energy, 0, 256);
        arena.Run(1440);
        Assert.False(mule.Alive);
        Assert.Contains(Alert.Muleexpired, arena.World.EventsOf(1).Alerts);
    }

    [Fact]
    public void A_queen_lays_a_tumour_on_creep_which_settles_and_spreads_once()
    {
        var arena = new Arena();
        var hall = arena.World.Units.First(u => u.Owner == 2 && u.Type.Is(Kind.TownHall));
        var toMiddle = hall.X < Arena.Cells(48) ? 1 : -1;
        var (x, y) = ((hall.X / (double)Arena.Cell) + (7 * toMiddle), hall.Y / (double)Arena.Cell);
        var queen = arena.Add(126, 2, x, y + 1);
        arena.Run(8);
        Arena.Tell(queen, 1694, x, y);
        Assert.NotEqual(-1, arena.RunUntil(() => arena.World.Units.Any(u => u.Type.Id == 138), 100));
        Assert.NotEqual(-1, arena.RunUntil(() => arena.World.Units.Any(u => u.Type.Id == 137), 300));
        var tumor = arena.World.Units.First(u => u.Type.Id == 137);
        arena.Run(64);
        Arena.Tell(tumor, 1733, x + (4 * toMiddle), y);
        arena.Run(1);
        Assert.Single(arena.World.Units, u => u.Type.Id == 87);
        Arena.Tell(tumor, 1733, x + (3 * toMiddle), y + 2);
        arena.Run(1);
        Assert.Single(arena.World.Units, u => u.Type.Id == 87);
    }

    [Fact]
    public void A_medivac_heals_and_carries()
    {
        var arena = new Arena();
        var medivac = arena.Add(54, 1, 40, 40);
        var marine = arena.Add(Marine, 1, 44, 40);
        marine.Health = 20 * 256;
        Assert.NotEqual(-1, arena.RunUntil(() => marine.Health == 45 * 256, 200));
        Assert.InRange(medivac.Energy / 256, 40, 46);
        Arena.Tell(medivac, 394, marine);
        Assert.NotEqual(-1, arena.RunUntil(() => !marine.Present, 200));
        Arena.Tell(medivac, 396, 60, 60);
        Assert.NotEqual(-1, arena.RunUntil(() => marine.Present, 400));
        Assert.InRange(Arena.Distance(marine, 60, 60), 0, 4);
        Assert.True(arena.OnGround(marine));
    }

    [Fact]
    public void Men_in_a_bunker_shoot_a_cell_farther_and_come_out_when_it_dies()
    {
        var arena = new Arena();
        var bunker = arena.Add(24, 1, 40.5, 40.5);
        var marines = arena.AddMany(Marine, 1, 4, 36, 44);
        foreach (var marine in marines)
        {
            Arena.Tell(marine, 407, bunker);
        }

        Assert.NotEqual(-1, arena.RunUntil(() => marines.All(m => m.Carrier == bunker), 200));
        var hatchery = arena.Add(86, 2, 50.8, 40.5);
        arena.Run(60);
        Assert.True(hatchery.Health < 1500 * 256);
        Combat.Hurt(arena.World, 2, bunker, 400 * 256);
        Assert.All(marines, m => Assert.True(m.Alive && m.Present && arena.OnGround(m)));
    }
}
