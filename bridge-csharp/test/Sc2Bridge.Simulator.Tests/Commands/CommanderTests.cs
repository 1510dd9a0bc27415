using SC2APIProtocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Tests.World;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Tests.Commands;

public sealed class CommanderTests
{
    [Fact]
    public void A_check_changes_nothing_and_two_commands_do_not_share_their_money()
    {
        var game = new TestWorld(Race.Zerg);
        var larvae = game.World.Units.Where(u => u.Type.Id == Larvae.Id).Select(u => u.Tag).ToArray();
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

    /// <summary>As python-sc2's warpgate_push.py has its probes build gas, and then stop.</summary>
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
        Assert.All(abilities, a =>
            Assert.NotEqual(AbilityKind.Cancel, AbilityKinds.Of(TechTree.Ability(a.AbilityId))));
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
}
