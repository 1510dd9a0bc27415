using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Tests.Observing;

namespace Sc2Bridge.Simulator.Tests.World;

public sealed class MorphTests
{
    [Fact]
    public void A_larva_becomes_an_egg_and_a_drone_under_one_tag()
    {
        var game = new TestWorld(Race.Zerg);
        var larva = game.First(UnitId.Larva);
        Assert.Equal(ActionResult.Success, game.Order(larva, 1342));
        Assert.Equal((103, 0, 26), (larva.Type.Id, game.Player.Minerals, game.Player.HalfFoodUsed));
        game.Step(272);
        Assert.Equal((104, 26), (larva.Type.Id, game.Player.HalfFoodUsed));
        Assert.Same(larva, game.World.Find(larva.Tag));
    }

    [Fact]
    public void Passengers_leave_a_command_centre_that_becomes_a_building_without_room()
    {
        var game = new TestWorld(Race.Terran).Rich();
        game.Put(21);
        Assert.Equal(ActionResult.Success, game.Order(game.Hall, 416));
        Assert.True(game.StepUntil(() => game.Hall.Passengers.Count == 5, 500));
        Assert.Equal(ActionResult.Success, game.Order(game.Hall, 1516));
        Assert.True(game.StepUntil(() => game.Hall.Type.Id == 132, 2000));
        Assert.Empty(game.Hall.Passengers);
        Assert.Equal(12, game.World.Units.Count(u => u.Owner == 1 && u.Type.Is(Kind.Worker) && u.Carrier is null));
    }

    [Fact]
    public void Zerglings_come_in_pairs()
    {
        var game = new TestWorld(Race.Zerg).Rich(50);
        Assert.Equal(ActionResult.TechRequirementsNotMet, game.Order(game.First(UnitId.Larva), 1343));
        game.Put(89);
        game.Player.Minerals = 50;
        Assert.Equal(ActionResult.Success, game.Order(game.First(UnitId.Larva), 1343));
        Assert.Equal(0, game.Player.Minerals);
        game.Step(384);
        Assert.Equal((2, 26), (game.Count(105), game.Player.HalfFoodUsed));
    }

    [Fact]
    public void A_cancelled_egg_is_a_larva_again()
    {
        var game = new TestWorld(Race.Zerg).Rich(100);
        var larva = game.First(UnitId.Larva);
        game.Order(larva, 1344);
        game.Step(10);
        var before = game.Player.Minerals;
        Assert.Equal(ActionResult.Success, game.Order(larva, 3659));
        Assert.Equal((UnitId.Larva, before + 75), (larva.Type.Id, game.Player.Minerals));
        Assert.Equal(24, game.Player.HalfFoodUsed);
    }

    [Fact]
    public void A_hatchery_has_three_larvae_every_eleven_seconds_one_and_they_die_with_it()
    {
        var game = new TestWorld(Race.Zerg).Rich(0);
        Assert.Equal(3, game.Count(UnitId.Larva));
        game.Step(500);
        Assert.Equal(3, game.Count(UnitId.Larva));
        game.Player.Minerals = 50;
        game.Order(game.First(UnitId.Larva), 1342);
        game.Step(245);
        Assert.Equal(2, game.Count(UnitId.Larva));
        game.Step(3);
        Assert.Equal(3, game.Count(UnitId.Larva));
        Larvae.Inject(game.World, game.Hall);
        game.Step(650);
        Assert.Equal(6, game.Count(UnitId.Larva));
        game.World.Remove(game.Hall, died: true);
        game.Step(1);
        Assert.Equal(0, game.Count(UnitId.Larva));
    }

    [Fact]
    public void An_orbital_command_costs_what_is_new()
    {
        var game = new TestWorld(Race.Terran).Rich(150, 0);
        var hall = game.Hall;
        Assert.Equal(ActionResult.TechRequirementsNotMet, game.Order(hall, 1516));
        game.Put(21);
        game.Player.Minerals = 150;
        game.Order(hall, 524);
        Assert.Equal(ActionResult.CantQueueThatOrder, game.Order(hall, 1516));
        game.Order(hall, 3671);
        Assert.Equal(ActionResult.Success, game.Order(hall, 1516));
        Assert.Equal(ActionResult.CantQueueThatOrder, game.Order(hall, 524));
        Assert.Contains(AvailableAbilities.Of(game.World, hall, false), a => a.AbilityId == 1517);
        game.Step(560);
        Assert.Equal((132, 50), (hall.Type.Id, hall.Energy / 256));
        Assert.Contains(Alert.MorphComplete, game.World.EventsOf(1).Alerts);
    }

    [Fact]
    public void A_lair_that_is_cancelled_gives_three_quarters_back()
    {
        var game = new TestWorld(Race.Zerg).Rich();
        game.Put(89);
        var hall = game.Hall;
        Assert.Equal(ActionResult.Success, game.Order(hall, 1216));
        var (minerals, vespene) = (game.Player.Minerals, game.Player.Vespene);
        Assert.Equal(ActionResult.Success, game.Order(hall, 1217));
        Assert.Equal((minerals + 112, vespene + 75), (game.Player.Minerals, game.Player.Vespene));
        Assert.Equal(86, hall.Type.Id);
        Assert.Null(hall.Change);
    }

    [Fact]
    public void A_cocoon_holds_what_it_will_use()
    {
        var game = new TestWorld(Race.Zerg).Rich();
        game.Put(97);
        game.World.Add(TechTree.Unit(106), 1, game.Start.X, game.Start.Y);
        var roach = game.World.Add(TechTree.Unit(110), 1, game.Start.X + (6 * 4096), game.Start.Y);
        var before = game.Player.HalfFoodUsed;
        Assert.Equal(ActionResult.Success, game.Order(roach, 2330));
        Assert.Equal((687, before + 2), (roach.Type.Id, game.Player.HalfFoodUsed));
        game.Step(200);
        Assert.Equal((688, before + 2), (roach.Type.Id, game.Player.HalfFoodUsed));
    }

    [Fact]
    public void A_depot_goes_down_and_up()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var depot = game.Put(19);
        Assert.Equal(ActionResult.Success, game.Order(depot, 556));
        game.Step(25);
        Assert.Equal(47, depot.Type.Id);
        Assert.True(game.World.Ground.WalkableAt(depot.X, depot.Y));
        Assert.Equal(23, game.Player.FoodCap);
        game.Order(depot, 558);
        game.Step(25);
        Assert.Equal(19, depot.Type.Id);
    }

    /// <summary>
    /// WickedBot 12.16.2 (bot/buildings/handler.py:515) reads a place from the first order of a command centre that lands,
    /// until the type is no longer the flying one. python-sc2 (burnysc2 7.3.0, sc2/unit.py:89) returns 0 if the order has no
    /// place.
    /// </summary>
    [Theory]
    [InlineData(Race.Terran, 36, 419)]
    [InlineData(Race.Terran, 46, 554)]
    [InlineData(Race.Terran, 689, 2558)]
    [InlineData(Race.Zerg, 139, 1729)]
    public void A_unit_that_becomes_another_at_a_place_shows_that_order_first_and_with_the_place(Race race, int type, int ability)
    {
        var game = new TestWorld(race).Rich();
        var into = TechTree.Unit(TechTree.Ability(ability).Product);
        var (x, y) = into.Footprint > 0 ? game.Site(into.MadeBy!.Id) : (game.Start.X, game.Start.Y);
        var unit = game.World.Add(TechTree.Unit(type), 1, x + (2 * Geometry.Cell), y);
        Assert.Equal(ActionResult.Success, game.Order(unit, ability, CommandTarget.At(x, y)));
        Assert.Equal(ActionResult.Success, game.Order(unit, 16, CommandTarget.At(x, y), queued: true));
        var changing = 0;
        for (var loop = 0; unit.Type != into && loop < 500; loop++)
        {
            var order = game.World.By(1).Find(unit)!.Orders[0];
            Assert.Equal((uint)ability, order.AbilityId);
            Assert.Equal((x / 4096f, y / 4096f), (order.TargetWorldSpacePos?.X, order.TargetWorldSpacePos?.Y));
            changing += unit.Change is null ? 0 : 1;
            game.Step(1);
        }

        Assert.Equal((into, true), (unit.Type, changing > 1));
    }

    [Fact]
    public void Two_templars_become_an_archon()
    {
        var game = new TestWorld(Race.Protoss);
        var (x, y) = (game.Start.X + (6 * 4096), game.Start.Y - (6 * 4096));
        var one = game.World.Add(TechTree.Unit(75), 1, x, y);
        var other = game.World.Add(TechTree.Unit(75), 1, x + (3 * 4096), y);
        var alone = new ActionRawUnitCommand { AbilityId = 1766, UnitTags = { one.Tag } };
        Assert.Equal(ActionResult.CantFindEnoughTargets, Commander.Command(game.World, game.Player, alone));
        var both = new ActionRawUnitCommand { AbilityId = 1766, UnitTags = { one.Tag, other.Tag } };
        Assert.Equal(ActionResult.Success, Commander.Command(game.World, game.Player, both));

        // python-sc2 counts unfinished archons by this ability (already_pending, ARCHON_WARP_TARGET).
        Assert.Equal(((1767, other), (1767, one)), (OrderOf(one), OrderOf(other)));
        Assert.True(game.StepUntil(() => game.Count(141) == 1 && game.First(141).Finished, 400));
        Assert.Equal((0, 32), (game.Count(75), game.Player.HalfFoodUsed));

        static (int, Unit?) OrderOf(Unit unit) => (unit.Order!.Ability.Id, unit.Order.Target);
    }
}
