using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Tests.World;

namespace Sc2Bridge.Simulator.Tests.Commands;

public sealed class CommanderTests
{
    [Fact]
    public void A_check_changes_nothing_and_two_commands_do_not_share_their_money()
    {
        var game = new TestWorld(Race.Zerg);
        var larvae = game.World.Units.Where(u => u.Type.Id == UnitId.Larva).Select(u => u.Tag).ToArray();
        var one = new ActionRawUnitCommand { AbilityId = 1342, UnitTags = { larvae[0] } };
        var two = new ActionRawUnitCommand { AbilityId = 1342, UnitTags = { larvae[1] } };
        Assert.Equal(ActionResult.Success, Commander.Check(game.World, game.Player, one));
        Assert.Equal(ActionResult.Success, Commander.Check(game.World, game.Player, two));
        Assert.Equal(50, game.Player.Minerals);
        Assert.Equal(ActionResult.Success, Commander.Command(game.World, game.Player, one));
        Assert.Equal(ActionResult.NotEnoughMinerals, Commander.Command(game.World, game.Player, two));
    }

    [Fact]
    public void General_abilities_are_each_units_own()
    {
        var game = new TestWorld(Race.Protoss);
        var stalker = game.World.Add(TechTree.Unit(74), 1, game.Start.X, game.Start.Y - (6 * 4096));
        var command = new ActionRawUnitCommand
        {
            AbilityId = 3674,
            TargetWorldSpacePos = new Point2D { X = 50, Y = 50 },
            UnitTags = { stalker.Tag, game.Worker.Tag },
        };
        Assert.Equal(ActionResult.Success, Commander.Command(game.World, game.Player, command));
        Assert.Equal((23, 50 * 4096), (stalker.Order!.Ability.Id, stalker.Order.X));
        Assert.Equal(ActionResult.Success, game.Order(stalker, 3794, CommandTarget.At(4096, 4096), queued: true));
        Assert.Equal([23, 16], stalker.Orders.Select(o => o.Ability.Id));
        Assert.Equal(ActionResult.Success, game.Order(stalker, 3665));
        Assert.Empty(stalker.Orders);
    }

    /// <summary>python-sc2's warpgate_push.py orders probes to build gas, and then to stop.</summary>
    [Theory]
    [InlineData(3665, null)]
    [InlineData(3793, 18)]
    public void A_queued_stop_waits_for_its_turn(int queued, int? then)
    {
        var game = new TestWorld(Race.Protoss).Rich();
        var probe = game.Worker;
        var (x, y) = game.Site(881);
        Assert.Equal(ActionResult.Success, game.Order(probe, 881, CommandTarget.At(x, y)));
        Assert.Equal(ActionResult.Success, game.Order(probe, queued, queued: true));
        Assert.Equal(2, probe.Orders.Count);
        Assert.True(game.StepUntil(() => game.Count(60) == 1, 400));
        game.Step(2);
        Assert.Equal(then, probe.Order?.Ability.Id);
    }

    /// <summary>A marine, an SCV, a ghost and a battle cruiser, with the targets of their commands.</summary>
    [Theory]
    [InlineData(48, 3674, "enemy")] // attack a unit
    [InlineData(48, 3674, "place")] // attack at a place
    [InlineData(48, 3794, "place")] // move
    [InlineData(48, 3794, "enemy")] // follow
    [InlineData(48, 3795, "place")] // patrol
    [InlineData(48, 3793, "")] // hold position
    [InlineData(48, 1, "enemy")] // click on an enemy
    [InlineData(48, 1, "place")] // click on a place
    [InlineData(45, 3685, "hurt")] // repair
    [InlineData(45, 1, "hurt")] // click on a hurt building
    [InlineData(45, 1, "unfinished")] // click on an unfinished building
    [InlineData(45, 3666, "field")] // gather
    [InlineData(50, 2714, "enemy")] // snipe
    [InlineData(57, 401, "enemy")] // Yamato gun
    public void A_command_that_is_repeated_until_it_is_carried_out_does_as_much_as_one(int type, int ability, string at)
    {
        var (once, often) = (Begin(), Begin());
        Assert.Equal(ActionResult.Success, Give(once));
        for (var loop = 0; loop < 200 && once.Unit is { Orders.Count: > 0, Load: Load.None }; loop++)
        {
            Give(often);
            once.Arena.Run(1);
            often.Arena.Run(1);
            Assert.Equal((loop, Fingerprint(once.Arena)), (loop, Fingerprint(often.Arena)));
        }

        (Arena Arena, Unit Unit, CommandTarget Target) Begin()
        {
            var arena = new Arena();
            arena.World.Players[0].Minerals = 1000;
            var unit = arena.Add(type, 1, 40, 40);
            unit.Energy = ability is 2714 or 401 ? TechTree.Ability(ability).Energy * 256 : 0;
            var (enemy, depot, field) = (arena.Add(109, 2, 49, 40), arena.Add(19, 1, 43, 47), arena.Add(341, GameWorld.Neutral, 35, 40));
            Arena.Tell(enemy, 18);
            (depot.Health, field.Contents) = (depot.Health / 2, 1800);
            Upgrades.Gain(arena.World, arena.World.Players[0], 76); // for the Yamato gun
            var unfinished = arena.World.Add(TechTree.Unit(19), 1, Arena.Cells(37), Arena.Cells(47), 480);
            arena.Run(8);
            return (arena, unit, at switch
            {
                "enemy" => CommandTarget.Of(enemy),
                "hurt" => CommandTarget.Of(depot),
                "unfinished" => CommandTarget.Of(unfinished),
                "field" => CommandTarget.Of(field),
                "place" => CommandTarget.At(Arena.Cells(50), Arena.Cells(44)),
                _ => default,
            });
        }

        static (long, ulong) Fingerprint(Arena arena) => (arena.Fingerprint(), WorldChecksum.Of(arena.World));

        ActionResult Give((Arena Arena, Unit Unit, CommandTarget Target) game) => Commander.Order(
            game.Arena.World, game.Arena.World.Players[0], game.Unit, TechTree.Ability(ability), game.Target);
    }

    [Fact]
    public void A_repeated_command_keeps_the_present_order_and_drops_those_after_it()
    {
        var game = new TestWorld(Race.Terran);
        var scv = game.Worker;
        ActionResult Move(int x, bool queued = false) =>
            game.Order(scv, 16, CommandTarget.At(x * Geometry.Cell, 50 * Geometry.Cell), queued);
        Assert.Equal(ActionResult.Success, Move(50));
        var first = scv.Order;
        Assert.Equal(ActionResult.Success, Move(50, queued: true));
        Assert.Equal(ActionResult.Success, Move(60, queued: true));
        Assert.Equal([50, 50, 60], scv.Orders.Select(order => order.X / Geometry.Cell));
        Assert.Equal(ActionResult.Success, Move(50));
        Assert.Same(first, Assert.Single(scv.Orders));
        Assert.Equal(ActionResult.Success, Move(60));
        Assert.NotSame(first, Assert.Single(scv.Orders));
        Assert.Equal(ActionResult.Success, game.Order(scv, 3665));
        Assert.Empty(scv.Orders);
    }

    [Fact]
    public void A_price_is_paid_by_one_of_many()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var (x, y) = game.Site(319);
        var command = new ActionRawUnitCommand
        {
            AbilityId = 319,
            TargetWorldSpacePos = new Point2D { X = x / 4096f, Y = y / 4096f },
        };
        command.UnitTags.AddRange(game.World.Units.Where(u => u.Owner == 1 && u.Type.Id == 45).Select(u => u.Tag));
        Assert.Equal(ActionResult.Success, Commander.Command(game.World, game.Player, command));
        Assert.Single(game.World.Units, u => u.Order?.Ability.Id == 319);
    }

    [Fact]
    public void Clicks_mean_what_they_hit()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var scv = game.Worker;
        var field = game.World.Units.First(u => u.Type.Is(Kind.Minerals));
        var enemy = game.World.Units.First(u => u.Owner == 2 && u.Type.Is(Kind.TownHall));
        AbilityKind After(Unit unit, CommandTarget target)
        {
            Assert.Equal(ActionResult.Success, game.Order(unit, 1, target));
            return AbilityKinds.Of(unit.Order!.Ability);
        }

        Assert.Equal(AbilityKind.Gather, After(scv, CommandTarget.Of(field)));
        Assert.Equal(AbilityKind.Attack, After(scv, CommandTarget.Of(enemy)));
        Assert.Equal(AbilityKind.Move, After(scv, CommandTarget.At(4096 * 50, 4096 * 50)));
        Assert.Equal(AbilityKind.Move, After(scv, CommandTarget.Of(game.Hall)));
        game.Hall.Health -= 256;
        Assert.Equal(AbilityKind.Repair, After(scv, CommandTarget.Of(game.Hall)));
        Assert.Equal(ActionResult.Success, game.Order(game.Hall, 1, CommandTarget.At(4096 * 50, 4096 * 50)));
        Assert.Single(game.Hall.Rallies);
    }

    [Fact]
    public void Bad_commands_are_refused()
    {
        var game = new TestWorld(Race.Terran);
        var enemy = game.World.Units.First(u => u.Owner == 2 && u.Type.Is(Kind.Worker));
        ActionResult Ask(ActionRawUnitCommand command) => Commander.Command(game.World, game.Player, command);
        Assert.Equal(ActionResult.Error, Ask(new ActionRawUnitCommand { AbilityId = 3665 }));
        Assert.Equal(ActionResult.Error, Ask(new ActionRawUnitCommand { AbilityId = 3665, UnitTags = { 12345 } }));
        Assert.Equal(ActionResult.NotSupported,
            Ask(new ActionRawUnitCommand { AbilityId = 99999, UnitTags = { game.Worker.Tag } }));
        Assert.Equal(ActionResult.YouCantControlThatUnit,
            Ask(new ActionRawUnitCommand { AbilityId = 3665, UnitTags = { enemy.Tag } }));
        Assert.Equal(ActionResult.NotSupported,
            Ask(new ActionRawUnitCommand { AbilityId = 560, UnitTags = { game.Hall.Tag } }));
        Assert.Equal(ActionResult.BuildTechRequirementsNotMet,
            game.Order(game.Worker, 321, CommandTarget.At(game.Site(319).X, game.Site(319).Y)));
        var nowhere = new ActionRawUnitCommand
        {
            AbilityId = 3794,
            UnitTags = { game.Worker.Tag },
            TargetWorldSpacePos = new Point2D { X = float.NaN, Y = 1 },
        };
        Assert.Equal(ActionResult.Error, Ask(nowhere));
        Assert.Equal(ActionResult.MustTargetVisibleUnit, game.Order(game.Worker, 3674, CommandTarget.Of(enemy)));
    }

    [Fact]
    public void Autocast_is_switched_where_the_ability_has_it()
    {
        var game = new TestWorld(Race.Terran);
        var scv = game.Worker;
        var toggle = new ActionRawToggleAutocast { AbilityId = 316, UnitTags = { scv.Tag } };
        Assert.Equal(ActionResult.Success, Commander.CheckAutocast(game.World, game.Player, toggle));
        Assert.Empty(scv.Autocast);
        Commander.ToggleAutocast(game.World, game.Player, toggle);
        Assert.Equal([316], scv.Autocast);
        Commander.ToggleAutocast(game.World, game.Player, toggle);
        Assert.Empty(scv.Autocast);
        toggle.AbilityId = 16;
        Assert.Equal(ActionResult.NotSupported, Commander.ToggleAutocast(game.World, game.Player, toggle));
    }

    [Fact]
    public void Nothing_to_cancel_is_nothing_that_can_be_done()
    {
        var game = new TestWorld(Race.Protoss);
        var carrier = game.World.Add(TechTree.Unit(79), 1, game.Start.X, game.Start.Y);
        var abilities = AvailableAbilities.Of(game.World, carrier, ignoreResources: true);
        Assert.NotEmpty(abilities);
        Assert.All(abilities, a => Assert.NotEqual(AbilityKind.Cancel, AbilityKinds.Of(TechTree.Ability(a.AbilityId))));
    }

    [Fact]
    public void Abilities_are_listed_as_they_can_be_used()
    {
        var game = new TestWorld(Race.Terran);
        int[] Of(Unit unit, bool ignore = false) =>
            [.. AvailableAbilities.Of(game.World, unit, ignore).Select(a => a.AbilityId)];

        Assert.Contains(524, Of(game.Hall));
        Assert.DoesNotContain(318, Of(game.Worker));
        Assert.Contains(318, Of(game.Worker, ignore: true));
        Assert.DoesNotContain(321, Of(game.Worker, ignore: true));
        game.Order(game.Hall, 524);
        Assert.DoesNotContain(524, Of(game.Hall));
        Assert.Contains(308, Of(game.Hall));
        var scv = game.Worker;
        Assert.DoesNotContain(296, Of(scv));
        Assert.True(game.StepUntil(() => scv.Load != Load.None, 500));
        Assert.Contains(296, Of(scv));
    }

    /// <summary>
    /// sharpy-sc2 7f40701 (sharpy/plans/tactics/zone_gather.py:73) sets each gateway's rally point once, as soon as the gateway
    /// is in the observation. The gateway is then still under construction.
    /// </summary>
    [Fact]
    public void A_building_under_construction_takes_a_rally_point()
    {
        var game = new TestWorld(Race.Terran).Rich();
        game.Put(19);
        var (x, y) = game.Site(321);
        var barracks = game.World.Add(TechTree.Unit(21), 1, x, y, buildLeft: 100);
        var rally = CommandTarget.At(x, y - (6 * Geometry.Cell));
        Assert.Equal(ActionResult.Success, game.Order(barracks, 195, rally));
        Assert.Equal((rally.X, rally.Y), (barracks.Rallies.Single().X, barracks.Rallies.Single().Y));
        Assert.Equal(ActionResult.BuildingIsUnderConstruction, game.Order(barracks, 560));
        game.World.Finish(barracks);
        Assert.Equal(ActionResult.Success, game.Order(barracks, 560));
        Assert.True(game.StepUntil(() => game.Count(48) == 1, 500));
        Assert.Equal((rally.X, rally.Y), (game.First(48).Order!.X, game.First(48).Order!.Y));
    }
}
