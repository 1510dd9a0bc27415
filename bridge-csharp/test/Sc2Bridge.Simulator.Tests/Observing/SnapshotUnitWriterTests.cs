using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Tests.World;

namespace Sc2Bridge.Simulator.Tests.Observing;

/// <summary>
/// Units that are remembered but not visible, after the comments of <c>raw.proto</c>. The available real messages only contain
/// snapshots of neutral units.
/// </summary>
public sealed class SnapshotUnitWriterTests
{
    private const int Marine = 48;
    private const int Barracks = 21;
    private const int SensorTower = 25;
    private const int DarkTemplar = 76;
    private const int BurrowedRoach = 118;
    private const int Missile = 23;

    private static readonly string[] _name =
        ["display_type", "alliance", "tag", "unit_type", "owner", "pos", "facing", "radius", "build_progress", "cloak"];

    private static readonly string[] _own =
    [
        "orders", "add_on_tag", "passengers", "cargo_space_taken", "cargo_space_max", "assigned_harvesters",
        "ideal_harvesters", "weapon_cooldown", "engaged_target_tag", "buff_duration_remain", "buff_duration_max",
        "rally_targets",
    ];

    [Fact]
    public void An_enemy_in_sight_has_all_but_what_is_ones_own_only()
    {
        var arena = new Arena(second: Race.Terran);
        arena.Add(Marine, 1, 40, 40);
        var enemies = new[] { Marine, Barracks, 45, 54 }.Select((type, i) => arena.Add(type, 2, 44, 36 + (3 * i)))
            .ToArray();
        arena.Run(8);
        var seen = arena.World.By(1);
        foreach (var enemy in enemies)
        {
            var told = seen.Find(enemy)!;
            Assert.Equal((DisplayType.Visible, Alliance.Enemy, 2), (told.DisplayType, told.Alliance, told.Owner));
            Assert.Empty(Seen.Fields(told).Intersect(_own));
            Assert.True(told.HasHealth && told.HasHealthMax && told.HasIsFlying && told.HasIsActive);
        }

        Assert.All(arena.World.By(2).Observation.RawData.Units.Where(u => u.Alliance == Alliance.Self), own =>
            Assert.True(own.HasIdealHarvesters && own.HasAssignedHarvesters));
    }

    [Fact]
    public void A_building_in_the_fog_is_told_as_it_was_seen_last_not_as_it_is()
    {
        var arena = new Arena(second: Race.Terran);
        var marine = arena.Add(Marine, 1, 40, 40);
        Arena.Tell(marine, Arena.MoveAbility, 40, 40);
        var barracks = arena.World.Add(Facts.TechTree.Unit(Barracks), 2, Arena.Cells(48.5), Arena.Cells(40.5), 736);
        arena.Run(8);
        var seen = arena.World.By(1).Find(barracks)!;
        Assert.Equal(DisplayType.Visible, seen.DisplayType);
        (marine.X, marine.Y) = (Arena.Cells(20), Arena.Cells(40));
        arena.Run(8);
        barracks.BuildLeft = 100;
        arena.Run(8);
        var told = arena.World.By(1).Find(barracks)!;
        Assert.Equal([.. _name, "is_on_screen", "is_blip", "is_powered"], Seen.Fields(told));
        Assert.Equal((DisplayType.Snapshot, CloakState.CloakedUnknown), (told.DisplayType, told.Cloak));
        Assert.Equal((seen.BuildProgress, seen.Facing, seen.Pos), (told.BuildProgress, told.Facing, told.Pos));
        Assert.Equal(DisplayType.Visible, arena.World.By(1, disableFog: true).Find(barracks)!.DisplayType);
        Assert.Equal(DisplayType.Visible, arena.World.By(0).Find(barracks)!.DisplayType);
    }

    [Fact]
    public void Cloaked_units_are_reported_only_on_request_and_without_details()
    {
        var arena = new Arena(second: Race.Protoss);
        arena.Add(Marine, 1, 40, 40);
        var cloaked = arena.Add(DarkTemplar, 2, 47, 40);
        var burrowed = arena.Add(BurrowedRoach, 2, 40, 47);
        arena.Run(8);
        var plain = arena.World.By(1);
        Assert.Null(plain.Find(cloaked));
        Assert.Null(plain.Find(burrowed));
        var asked = arena.World.By(1, new InterfaceOptions { Raw = true, ShowCloaked = true });
        Assert.Null(asked.Find(burrowed));
        var told = asked.Find(cloaked)!;
        Assert.Equal([.. _name, "is_on_screen", "is_blip"], Seen.Fields(told));
        Assert.Equal((DisplayType.Hidden, CloakState.Cloaked), (told.DisplayType, told.Cloak));
        var shadows = arena.World.By(1, new InterfaceOptions { Raw = true, ShowBurrowedShadows = true });
        Assert.Null(shadows.Find(cloaked));
        Assert.Equal(DisplayType.Hidden, shadows.Find(burrowed)!.DisplayType);
        Assert.Equal(CloakState.CloakedAllied, arena.World.By(2).Find(cloaked)!.Cloak);

        arena.Add(Missile, 1, 44, 44);
        arena.Run(8);
        var detected = arena.World.By(1);
        Assert.All([cloaked, burrowed], unit => Assert.Equal(
            (DisplayType.Visible, CloakState.CloakedDetected, true),
            (detected.Find(unit)!.DisplayType, detected.Find(unit)!.Cloak, detected.Find(unit)!.HasHealth)));
        Assert.True(detected.Find(burrowed)!.IsBurrowed);
    }

    [Fact]
    public void A_death_is_told_to_who_saw_it()
    {
        var arena = new Arena(second: Race.Protoss);
        arena.Add(Marine, 1, 40, 40);
        var far = arena.Add(73, 2, 12, 84);
        var hidden = arena.Add(DarkTemplar, 2, 47, 40);
        var near = arena.Add(73, 2, 46, 42);
        arena.Run(8);
        ulong[] all = [far.Tag, hidden.Tag, near.Tag];
        foreach (var unit in new[] { far, hidden, near })
        {
            arena.World.Remove(unit, died: true);
        }

        Assert.Equal([near.Tag], arena.World.By(1).Observation.RawData.Event.DeadUnits);
        Assert.Equal(all, arena.World.By(2).Observation.RawData.Event.DeadUnits);
        Assert.Equal(all, arena.World.By(0).Observation.RawData.Event.DeadUnits);
        Assert.Null(arena.World.By(1).Observation.RawData.Event);
    }

    [Fact]
    public void A_sensor_tower_shows_blips_of_what_moves_in_the_fog_and_its_ring()
    {
        var arena = new Arena(second: Race.Terran);
        var tower = arena.Add(SensorTower, 1, 30, 40);
        var near = arena.Add(Marine, 2, 50, 40);
        var far = arena.Add(Marine, 2, 60, 40);
        var building = arena.Add(Barracks, 2, 50.5, 44.5);
        arena.Run(8);
        Assert.Equal(0, near.SeenBy & 2);
        var seen = arena.World.By(1);
        var blip = Assert.Single(seen.Observation.RawData.Units, u => u.IsBlip);
        Assert.Equal(["display_type", "alliance", "tag", "pos", "cloak", "is_on_screen", "is_blip"], Seen.Fields(blip));
        Assert.Equal((DisplayType.Hidden, Alliance.Enemy), (blip.DisplayType, blip.Alliance));
        Assert.Equal(near.X / 4096f, blip.Pos.X);
        Assert.All([near, far, building], unit => Assert.Null(seen.Find(unit)));
        Assert.Null(arena.World.Find(blip.Tag));
        var ring = Assert.Single(seen.Observation.RawData.Radar);
        Assert.Equal((tower.X / 4096f, 27f), (ring.Pos.X, ring.Radius));
        Assert.Equal(27, seen.Find(tower)!.RadarRange);

        arena.Add(Marine, 1, 48, 40);
        arena.Run(8);
        seen = arena.World.By(1);
        Assert.DoesNotContain(seen.Observation.RawData.Units, u => u.IsBlip);
        Assert.False(seen.Find(near)!.IsBlip);
        Assert.Empty(arena.World.By(2).Observation.RawData.Radar);
    }

    [Fact]
    public void A_building_that_was_ordered_and_not_begun_is_a_placeholder_where_asked_for()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var worker = game.Worker;
        var options = new InterfaceOptions { Raw = true, ShowPlaceholders = true };
        var (x, y) = game.Site(319);
        Assert.Equal(ActionResult.Success, game.Order(worker, 319, CommandTarget.At(x, y)));
        var told = Assert.Single(
            game.World.By(1, options).Observation.RawData.Units, u => u.DisplayType == DisplayType.Placeholder);
        Assert.Equal([.. _name, "is_on_screen", "is_blip"], Seen.Fields(told));
        Assert.Equal((19u, 0f, Alliance.Self), (told.UnitType, told.BuildProgress, told.Alliance));
        Assert.Equal((x / 4096f, y / 4096f), (told.Pos.X, told.Pos.Y));
        Assert.Null(game.World.Find(told.Tag));
        foreach (var other in new[] { game.World.By(1), game.World.By(2, options) })
        {
            Assert.DoesNotContain(other.Observation.RawData.Units, u => u.DisplayType == DisplayType.Placeholder);
        }

        Assert.True(game.StepUntil(() => game.Count(19) == 1, 400));
        Assert.DoesNotContain(
            game.World.By(1, options).Observation.RawData.Units, u => u.DisplayType == DisplayType.Placeholder);
    }
}
