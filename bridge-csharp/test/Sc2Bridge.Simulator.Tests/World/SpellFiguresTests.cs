using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Simulator.Tests.World;

/// <summary>
/// Spells, with the values of the game's own AbilData, EffectData and BehaviorData (SC2Mapster's SC2GameData, build 5.0.9).
/// Their seconds have 16 loops.
/// </summary>
public sealed class SpellFiguresTests
{
    private const int Point = 256;
    private const int Marine = 48;
    private const int Hatchery = 86;
    private const int Viper = 499;

    private readonly Arena _arena = new(first: Race.Protoss, second: Race.Zerg);

    [Theory]
    [InlineData(146, 141, 1)]
    [InlineData(164, 73, 2)]
    [InlineData(156, 84, 4)]
    public void A_sentrys_illusions_hurt_nobody_take_no_supply_and_end_after_a_minute(int ability, int type, int count)
    {
        var food = _arena.World.Players[0].HalfFoodUsed;
        var sentry = Cast(77, ability, 40, 40, null);
        _arena.World.Remove(sentry, died: false);
        var illusions = _arena.World.Units.Where(u => u.Type.Id == type).ToArray();
        Assert.Equal(count, illusions.Length);
        Assert.All(illusions, u => Assert.True(u.Hallucination));

        // PySC2's obs_test.py: the enemy sees that it is an illusion once it detects it.
        Assert.Equal(0, illusions[0].DetectedBy & 4);
        var observer = _arena.Add(82, 2, 42, 40);
        _arena.Run(9);
        Assert.NotEqual(0, illusions[0].DetectedBy & 4);
        _arena.World.Remove(observer, died: false);
        var hatchery = _arena.Add(Hatchery, 2, 40, 44);
        Arena.Tell(illusions[0], Arena.AttackAbility, hatchery);
        Assert.InRange(_arena.RunUntil(() => !illusions[0].Alive, 1000), 940, 961);
        Assert.Equal((hatchery.MostHealth, food), (hatchery.Health, _arena.World.Players[0].HalfFoodUsed));
    }

    [Fact]
    public void A_force_field_stands_for_fifteen_seconds_and_puts_who_stands_there_beside_it()
    {
        var marine = _arena.Add(Marine, 2, 46, 40);
        Cast(77, 1526, 40, 40, 46, 40);
        var cell = _arena.World.Map.CellAt(Arena.Cells(46), Arena.Cells(40));
        Assert.False(_arena.World.Ground.Walkable(cell));
        Assert.True(_arena.OnGround(marine));
        Assert.InRange(_arena.RunUntil(() => _arena.World.Ground.Walkable(cell), 300), 235, 241);
    }

    [Fact]
    public void A_lifted_unit_can_do_nothing_for_ten_seconds_or_until_the_beam_is_cancelled()
    {
        var marine = _arena.Add(Marine, 2, 43, 40);
        var phoenix = Cast(78, 173, 40, 40, marine);
        _arena.Run(2);
        Arena.Tell(marine, Arena.MoveAbility, 60, 40);
        _arena.Run(100);
        Assert.InRange(Arena.Distance(marine, 43, 40), 0, 0.1);
        Assert.InRange(_arena.RunUntil(() => phoenix.Order is null, 100), 50, 60);
        Assert.InRange(_arena.RunUntil(() => Arena.Distance(marine, 43, 40) > 0.5, 40), 4, 20);

        phoenix = Cast(78, 173, 40, 50, _arena.Add(Marine, 2, 43, 50));
        _arena.Run(2);
        Assert.Equal(174, Cancelling.Of(phoenix)!.Id);
        Cancelling.Cancel(_arena.World, phoenix, TechTree.Ability(174));
        Assert.Null(phoenix.Order);
    }

    [Fact]
    public void A_time_warp_grows_and_halves_the_enemys_speed_for_ten_seconds()
    {
        var (ultralisk, own) = (_arena.Add(109, 2, 46, 40), _arena.Add(75, 1, 46, 43));
        Arena.Tell(ultralisk, 18);
        Cast(10, 2244, 40, 40, 46, 40);
        Assert.InRange(_arena.RunUntil(() => _arena.World.Effects.Any(e => e.Id == EffectId.TemporalField), 60), 30, 41);
        _arena.Run(2);
        Assert.Equal((50, 100), (Buffs.SpeedPercent(ultralisk), Buffs.SpeedPercent(own)));
        Assert.Equal("TemporalField", TechTree.Buff(Assert.Single(ultralisk.Buffs).Id).Name);
        Assert.InRange(_arena.RunUntil(() => _arena.World.Effects.Count == 0, 200), 155, 161);
    }

    [Fact]
    public void In_a_blinding_cloud_no_unit_on_the_ground_shoots_far()
    {
        var marine = _arena.Add(Marine, 1, 46, 40);
        Arena.Tell(marine, 18);
        Cast(Viper, 2063, 36, 40, 46, 40, owner: 2);
        _arena.Run(2);
        var hatchery = _arena.Add(Hatchery, 2, 51, 40);
        _arena.Run(100);
        Assert.Equal(hatchery.MostHealth, hatchery.Health);
        _arena.Run(120);
        Assert.True(hatchery.Health < hatchery.MostHealth);
    }

    [Fact]
    public void A_revelation_shows_what_is_cloaked_for_twenty_eight_seconds()
    {
        var templar = _arena.Add(76, 2, 52, 40);
        Cast(495, 2146, 42, 40, 52, 40);
        _arena.Run(9);
        Assert.True(templar.IsKnownTo(1));
        Arena.Tell(templar, Arena.MoveAbility, 80, 60);
        _arena.Run(420);
        Assert.True(templar.IsKnownTo(1));
        _arena.Run(40);
        Assert.False(templar.IsKnownTo(1));
    }

    [Fact]
    public void A_revelation_shows_what_is_burrowed_to_its_own_player_alone()
    {
        var map = GameMap.All.First(m => m.Starts.Length == 4);
        PlayerSpec Spec(Race race) => new(PlayerType.Participant, race, Difficulty.Easy, AIBuild.RandomBuild, "");
        var world = new GameWorld(map, [Spec(Race.Protoss), Spec(Race.Zerg), Spec(Race.Terran)], 1);
        var (x, y) = (map.Bases[map.Starts[0]].X, map.Bases[map.Starts[0]].Y + (8 * Geometry.Cell));
        var oracle = world.Add(TechTree.Unit(495), 1, x, y);
        var burrowed = world.Add(TechTree.Unit(119), 2, x, y);
        (oracle.Energy, burrowed.Energy) = (200 * Point, 0);
        oracle.Orders.Add(new Order(TechTree.Ability(2146)) { HasPoint = true, X = x, Y = y });
        for (var i = 0; i < 17; i++)
        {
            world.Step();
        }

        Assert.True(burrowed.IsKnownTo(1));
        Assert.False(burrowed.IsKnownTo(3));
        var view = new ViewPoint(new WireWriter(MessageBuffer.Rent()), world, new MapWindow(map, crop: false), 1, (x, y));
        Assert.Equal(DisplayType.Visible, view.ShownAs(burrowed, new InterfaceOptions(), disableFog: false));
    }

    /// <summary>void.sc2mod's LockOnCP, balancemulti.sc2mod's CycloneWeaponDamage, of build 5.0.14.</summary>
    [Fact]
    public void A_lock_on_takes_twenty_points_a_second_through_armour_and_ends_out_of_reach()
    {
        var ultralisk = _arena.Add(109, 2, 45, 40);
        Arena.Tell(ultralisk, 18);
        var cyclone = Cast(692, 2350, 39, 40, ultralisk);
        Arena.Tell(cyclone, 18);
        Assert.True(Buffs.Has(ultralisk, BuffId.LockOn));
        var before = ultralisk.Health;
        _arena.Run(160);
        Assert.InRange(before - ultralisk.Health, 195 * Point, 201 * Point); // it heals a little
        Assert.Equal(96, cyclone.Cooldowns[2350]);
        (cyclone.X, cyclone.Y) = (Arena.Cells(22), Arena.Cells(40));
        _arena.Run(2);
        Assert.False(Buffs.Has(ultralisk, BuffId.LockOn));
        Assert.InRange(_arena.RunUntil(() => cyclone.Cooldowns.Count == 0, 100), 93, 97);
    }

    /// <summary>voidmulti.sc2mod's RavenScramblerMissile, of build 5.0.14: fifteen seconds, and the unit can move.</summary>
    [Fact]
    public void In_an_interference_matrix_no_unit_fights_casts_or_hides()
    {
        var observer = _arena.Add(82, 2, 45, 40);
        var stalker = _arena.Add(74, 2, 45, 42);
        _arena.Add(82, 1, 44, 40); // a detector
        var raven = Cast(56, 3747, 40, 40, observer);
        Assert.InRange(raven.Energy, 124 * Point, 126 * Point);
        _arena.Run(8);
        Assert.False(observer.Cloaked);

        Cast(56, 3747, 40, 44, stalker);
        var marine = _arena.Add(Marine, 1, 47, 42);
        Arena.Tell(marine, 18);
        Arena.Tell(stalker, 1442, 50, 42);
        Arena.Tell(stalker, Arena.AttackAbility, marine);
        _arena.Run(30);
        Assert.Equal(marine.MostHealth, marine.Health);
        Assert.InRange(Arena.Distance(stalker, 45, 42), 0, 1);
        Assert.InRange(_arena.RunUntil(() => !Buffs.Has(stalker, BuffId.RavenScramblerMissile), 240), 200, 212);
    }

    [Fact]
    public void An_illusion_is_hurt_twice_as_much_and_is_no_loss()
    {
        var illusion = _arena.Add(73, 1, 42, 40);
        (illusion.Hallucination, illusion.Shield) = (true, 0);
        illusion.LastHit = _arena.World.Loop;
        Hits.Strike(_arena.World, _arena.Add(Marine, 2, 40, 40), illusion, TechTree.Unit(Marine).Weapons[0], 100);
        Assert.Equal((100 - 11) * Point, illusion.Health); // twice six points, minus one for armour
        _arena.World.Remove(illusion, died: true);
        Assert.Equal(0, _arena.World.Players[0].Score.UnitsLost);
    }

    [Fact]
    public void An_oracle_attacks_while_its_beam_is_on_and_takes_energy()
    {
        var oracle = _arena.Add(495, 1, 40, 40);
        var drone = _arena.Add(104, 2, 42, 40);
        _arena.Run(40);
        Assert.Equal(drone.MostHealth, drone.Health);
        oracle.Energy = 100 * Point;
        Arena.Tell(oracle, 2375);
        Assert.True(_arena.RunUntil(() => !drone.Alive, 60) > 0);
        _arena.Run(100);
        Assert.InRange(oracle.Energy, 50 * Point, 70 * Point);
        Arena.Tell(oracle, 2376);
        _arena.Run(1);
        Assert.Empty(oracle.Buffs);
    }

    [Fact]
    public void A_stasis_trap_takes_all_that_are_near_for_thirty_seconds()
    {
        Cast(495, 2505, 40, 40, 44, 40);
        Assert.True(_arena.RunUntil(() => _arena.World.Units.Any(u => u.Type.Id == 732), 40) > 0);
        var trap = _arena.World.Units.Single(u => u.Type.Id == 732);
        _arena.Run(100);
        Assert.True(trap is { Finished: true, Cloaked: true });
        var (marine, other) = (_arena.Add(Marine, 2, 46, 40), _arena.Add(Marine, 2, 48, 40));
        _arena.Run(9);
        Assert.False(trap.Alive);
        Assert.True(Buffs.Stuns(marine) && Buffs.Stuns(other));
        Combat.Hurt(_arena.World, 1, marine, 20 * Point);
        Assert.Equal(45 * Point, marine.Health);
        Assert.InRange(_arena.RunUntil(() => !Buffs.Stuns(marine), 500), 470, 481);
    }

    /// <summary>voidmulti.sc2mod's StasisWardTimedLife: it lives for 238 seconds after it is built.</summary>
    [Fact]
    public void A_stasis_trap_ends_by_itself_and_keeps_nobody_in_the_match()
    {
        Cast(495, 2505, 40, 40, 44, 40);
        Assert.True(_arena.RunUntil(() => _arena.World.Units.Any(u => u.Type.Id == 732), 40) > 0);
        var trap = _arena.World.Units.Single(u => u.Type.Id == 732);
        Assert.InRange(_arena.RunUntil(() => !trap.Alive, 4000), 3880, 3890);

        Cast(495, 2505, 40, 40, 44, 40);
        Assert.True(_arena.RunUntil(() => _arena.World.Units.Any(u => u.Type.Id == 732), 40) > 0);
        foreach (var unit in _arena.World.Units.Where(u => u.Owner == 1 && u.Type.Id != 732).ToArray())
        {
            _arena.World.Remove(unit, died: true);
        }

        _arena.Run(1);
        Assert.Equal(Result.Defeat, _arena.World.Players[0].Result);
    }

    [Fact]
    public void A_force_field_is_not_remembered()
    {
        var marine = _arena.Add(Marine, 2, 46, 44);
        Cast(77, 1526, 40, 40, 46, 40);
        _arena.Run(8);
        var field = _arena.World.Units.Single(u => u.Type.Id == 135);
        Assert.True(field.IsKnownTo(2));
        (marine.X, marine.Y) = (Arena.Cells(16), Arena.Cells(60));
        _arena.Run(8);
        Assert.False(_arena.World.Vision.Knows(2, field));
    }

    [Fact]
    public void A_nova_goes_off_after_three_seconds()
    {
        var (near, far) = (_arena.Add(109, 2, 44, 40), _arena.Add(109, 2, 50, 40));
        Arena.Tell(near, 18);
        Arena.Tell(far, 18);
        Cast(694, 2346, 40, 40, 44, 40);
        Assert.InRange(_arena.RunUntil(() => near.Health < near.MostHealth, 60), 44, 49);
        Assert.Equal((355 * Point, 500 * Point), (near.Health, far.Health));
        Assert.DoesNotContain(_arena.World.Units, u => u.Alive && u.Type.Id == 733);
    }

    [Fact]
    public void A_corruptors_spray_takes_five_points_a_second_and_more_after_six()
    {
        var pylon = _arena.Add(60, 1, 44, 40);
        (pylon.LastHit, pylon.Shield) = (_arena.World.Loop, 0);
        Cast(112, 2324, 40, 40, pylon, owner: 2);
        _arena.Run(95);
        Assert.InRange(pylon.Health, 168 * Point, 172 * Point);
        _arena.Run(16);
        Assert.InRange(pylon.Health, 143 * Point, 148 * Point);
    }

    [Fact]
    public void A_viper_takes_two_hundred_points_off_a_building_for_fifty_of_energy()
    {
        var hatchery = _arena.Add(Hatchery, 2, 44, 40);
        var viper = Cast(Viper, 2073, 40, 40, hatchery, owner: 2);
        viper.Energy = 0;
        _arena.Run(321);
        Assert.InRange(viper.Energy, 58 * Point, 64 * Point); // the viper regenerates eleven by itself
        Assert.InRange(hatchery.Health, 1300 * Point, 1312 * Point);
    }

    [Fact]
    public void A_parasitic_bomb_hurts_what_flies_near_it_for_ten_seconds()
    {
        var target = _arena.Add(54, 1, 44, 40);
        var (beside, ground) = (_arena.Add(54, 1, 45, 40), _arena.Add(Marine, 1, 44, 41));
        target.Shield = beside.Shield = 0;
        Cast(Viper, 2542, 40, 40, target, owner: 2);
        Assert.Contains(target.Buffs, b => b.Id == BuffId.ParasiticBomb);
        _arena.Run(161);
        Assert.All([target, beside], u => Assert.InRange(u.MostHealth - u.Health, 117 * Point, 123 * Point));
        Assert.Equal(ground.MostHealth, ground.Health);
    }

    [Fact]
    public void A_viper_draws_a_unit_to_itself()
    {
        var colossus = _arena.Add(4, 1, 48, 40);
        var viper = Cast(Viper, 2067, 40, 40, colossus, owner: 2);
        Assert.InRange(Arena.Distance(colossus, 40, 40), 0, 1);
        Assert.InRange(viper.Energy, 124 * Point, 126 * Point);
    }

    /// <summary>BroodlingEscort and BroodlingFate of liberty.sc2mod: one broodling with each shot, for eight seconds.</summary>
    [Fact]
    public void Each_shot_of_a_brood_lord_brings_a_broodling_that_attacks_for_eight_seconds()
    {
        var hall = _arena.Add(59, 1, 46, 40); // a nexus, whose shields and armour keep it alive
        var lord = _arena.Add(114, 2, 40, 40);
        Assert.True(_arena.RunUntil(() => hall.Shield < hall.Type.Shield * Point, 60) > 0);
        var broodling = Assert.Single(Broodlings());
        Assert.Equal(hall, broodling.Order?.Target);
        _arena.World.Remove(lord, died: false);
        var shield = hall.Shield;
        Assert.InRange(_arena.RunUntil(() => !broodling.Alive, 140), 126, 129);
        Assert.True(hall.Shield < shield);

        _arena.Add(114, 2, 40, 40).Hallucination = true;
        _arena.Run(60);
        Assert.Empty(Broodlings());

        IEnumerable<Unit> Broodlings() => _arena.World.Units.Where(u => u.Alive && u.Type.Id == 289);
    }

    [Fact]
    public void A_contaminated_building_makes_nothing_for_thirty_seconds()
    {
        var game = new TestWorld(Race.Terran).Rich();
        Assert.Equal(ActionResult.Success, game.Order(game.Hall, 524));
        Buffs.Put(game.Hall, BuffId.Contaminated, game.World.Loop + 480);
        var left = game.Hall.Queue[0].Left;
        game.Step(470);
        Assert.Equal(left, game.Hall.Queue[0].Left);
        game.Step(20);
        Assert.True(game.Hall.Queue[0].Left < left);
    }

    [Fact]
    public void A_cancelled_shade_leaves_its_adept_where_it_is()
    {
        var adept = Cast(311, 2544, 40, 40, 48, 40);
        var shade = _arena.World.Units.Single(u => u.Type.Id == 801);
        _arena.Run(20);
        Assert.Equal(2596, Cancelling.Of(shade)!.Id);
        Cancelling.Cancel(_arena.World, shade, TechTree.Ability(2596));
        _arena.Run(200);
        Assert.False(shade.Alive);
        Assert.InRange(Arena.Distance(adept, 40, 40), 0, 0.5);
    }

    /// <summary>EffectData's radius of 5, and python-sc2's EffectId.LIBERATORTARGETMORPHPERSISTENT.</summary>
    [Fact]
    public void A_liberator_defends_its_zone_alone_which_is_an_effect()
    {
        var liberator = _arena.Add(689, 1, 40, 40);
        Arena.Tell(liberator, 2558, 45, 40);
        Assert.True(_arena.RunUntil(() => liberator.Type.Id == 734, 200) > 0);
        _arena.Run(1);
        Assert.Equal(EffectId.LiberatorDefenderZone, Assert.Single(_arena.World.Effects).Id);
        var (inside, outside) = (_arena.Add(109, 2, 47, 40), _arena.Add(109, 2, 38, 40));
        Arena.Tell(inside, 18);
        Arena.Tell(outside, 18);
        _arena.Run(30);
        Assert.True(inside.Health < inside.MostHealth);
        Assert.Equal(outside.MostHealth, outside.Health);
        Arena.Tell(liberator, 2560);
        _arena.Run(100);
        Assert.Equal(689, liberator.Type.Id);
        Assert.Empty(_arena.World.Effects);
    }

    /// <summary>AbilData: 100 energy, range 8 plus 5. BehaviorData: fifteen seconds; buildings and frenzied units are not affected.</summary>
    [Fact]
    public void A_neural_parasite_gives_a_unit_to_the_enemy_for_fifteen_seconds_or_as_long_as_the_infestor_lives()
    {
        var (tank, friend) = (_arena.Add(33, 1, 46, 40), _arena.Add(Marine, 1, 48, 40));
        var food = _arena.World.Players.Select(p => p.HalfFoodUsed).ToArray();
        var infestor = Cast(111, 249, 40, 40, tank, owner: 2);
        _arena.Run(1);
        Assert.Equal((2, 100), (tank.Owner, infestor.Energy / Point));
        Assert.True(Buffs.Has(tank, BuffId.NeuralParasite));
        Assert.Equal([food[0] - 6, food[1] + 10], _arena.World.Players.Select(p => p.HalfFoodUsed));
        _arena.RunUntil(() => friend.Health < friend.MostHealth, 60);
        Assert.True(friend.Health < friend.MostHealth);
        Assert.InRange(_arena.RunUntil(() => tank.Owner == 1, 300), 180, 241);
        Assert.Equal(food[0] - (friend.Alive ? 0 : 2), _arena.World.Players[0].HalfFoodUsed);

        var second = Cast(111, 249, 40, 50, _arena.Add(33, 1, 46, 50), owner: 2);
        _arena.Run(1);
        var taken = second.Order!.Target!;
        Assert.Equal((2, 250), (taken.Owner, Cancelling.Of(second)!.Id));
        _arena.World.Remove(second, died: true);
        _arena.Run(3);
        Assert.Equal(1, taken.Owner);
        Buffs.Put(taken, BuffId.NeuralParasite, _arena.World.Loop + 9);
        var can = Spells.All[AbilityId.EffectNeuralParasite].On!;
        Assert.Equal(
            [true, false, false, false],
            new[] { friend, taken, _arena.Add(Hatchery, 1, 46, 60), _arena.Add(109, 1, 44, 66) }.Select(target => can.Fits(infestor, target)));
    }

    private Unit Cast(int type, int ability, double x, double y, double toX, double toY, int owner = 1)
    {
        var caster = Caster(type, owner, x, y);
        Arena.Tell(caster, ability, toX, toY);
        _arena.Run(1);
        return caster;
    }

    private Unit Cast(int type, int ability, double x, double y, Unit? target, int owner = 1)
    {
        var caster = Caster(type, owner, x, y);
        _arena.Run(9); // until the caster sees the target
        Arena.Tell(caster, ability, target);
        _arena.Run(1);
        return caster;
    }

    private Unit Caster(int type, int owner, double x, double y)
    {
        var caster = _arena.Add(type, owner, x, y);
        caster.Energy = 200 * Point;
        return caster;
    }
}
