using Sc2Bridge.Simulator.Commands;

namespace Sc2Bridge.Simulator.Tests.World;

public sealed class ProductionTests
{
    private const int Scv = 524;
    private const int Marine = 560;

    [Fact]
    public void A_worker_takes_272_loops_and_its_supply_from_the_beginning()
    {
        var game = new TestWorld(Race.Terran);
        Assert.Equal(ActionResult.Success, game.Order(game.Hall, Scv));
        Assert.Equal(0, game.Player.Minerals);
        game.Step(1);
        Assert.Equal(26, game.Player.HalfFoodUsed);
        game.Step(270);
        Assert.Equal(12, game.Count(45));
        game.Step(1);
        Assert.Equal((13, 26), (game.Count(45), game.Player.HalfFoodUsed));
        Assert.Contains(Alert.TrainWorkerComplete, game.World.EventsOf(1).Alerts);
    }

    [Fact]
    public void Five_fit_in_a_queue_and_come_back_whole()
    {
        var game = new TestWorld(Race.Terran).Rich(1000);
        for (var i = 0; i < 5; i++)
        {
            Assert.Equal(ActionResult.Success, game.Order(game.Hall, Scv));
        }

        Assert.Equal(ActionResult.QueueIsFull, game.Order(game.Hall, Scv));
        for (var i = 0; i < 5; i++)
        {
            Assert.Equal(ActionResult.Success, game.Order(game.Hall, 3671));
        }

        Assert.Equal(ActionResult.CantFindCancelOrder, game.Order(game.Hall, 3671));
        Assert.Equal((1000, 24), (game.Player.Minerals, game.Player.HalfFoodUsed));
    }

    [Fact]
    public void A_reactor_makes_eight_places_and_two_at_work()
    {
        var game = new TestWorld(Race.Terran).Rich();
        game.World.Add(TechTree.Unit(19), 1, game.Site(319).X, game.Site(319).Y);
        var barracks = game.Put(21);
        Assert.Equal(ActionResult.Success, game.Order(barracks, 3683));
        Assert.Equal(ActionResult.CantQueueThatOrder, game.Order(barracks, Marine));
        game.Step(801);
        Assert.Equal(38, barracks.AddOn!.Type.Id);
        Assert.True(barracks.AddOn.Finished);
        game.Step(1);
        Assert.Null(barracks.Order);
        for (var i = 0; i < 8; i++)
        {
            Assert.Equal(ActionResult.Success, game.Order(barracks, Marine));
        }

        Assert.Equal(ActionResult.QueueIsFull, game.Order(barracks, Marine));
        game.Step(400);
        Assert.Equal((2, 6), (game.Count(48), barracks.Queue.Count));
        Assert.Equal(ActionResult.TechRequirementsNotMet, game.Order(barracks, 563));
    }

    [Fact]
    public void A_building_lifts_off_its_add_on_and_finds_it_again()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var barracks = game.Put(21);
        var (x, y) = (barracks.X, barracks.Y);
        Assert.Equal(ActionResult.Success, game.Order(barracks, 421));
        game.Step(402);
        var lab = barracks.AddOn!;
        Assert.Equal(37, lab.Type.Id);
        Assert.Equal(ActionResult.Success, game.Order(barracks, 3679));
        game.Step(40);
        Assert.Equal((46, 5), (barracks.Type.Id, lab.Type.Id));
        Assert.Null(barracks.AddOn);
        Assert.Equal(ActionResult.CantLandLocationInvalid,
            game.Order(barracks, 3678, CommandTarget.At(game.Start.X, game.Start.Y)));
        Assert.Equal(ActionResult.Success, game.Order(barracks, 3678, CommandTarget.At(x, y)));
        game.Step(60);
        Assert.Equal((21, 37, x, y), (barracks.Type.Id, lab.Type.Id, barracks.X, barracks.Y));
        Assert.Same(lab, barracks.AddOn);
        Assert.Equal(ActionResult.Success, game.Order(barracks, 563));
        Assert.Equal(ActionResult.Success, game.Order(lab, 730));
    }

    [Fact]
    public void Supply_holds_production_back()
    {
        var game = new TestWorld(Race.Terran).Rich();
        for (var i = 0; i < 3; i++)
        {
            Assert.Equal(ActionResult.Success, game.Order(game.Hall, Scv));
            game.Step(273);
        }

        Assert.Equal((30, 15), (game.Player.HalfFoodUsed, game.Player.FoodCap));
        Assert.Equal(ActionResult.NotEnoughFood, game.Order(game.Hall, Scv));
        game.Player.FoodProvided = 200;
        game.Player.HalfFoodUsed += 370;
        Assert.Equal(ActionResult.FoodUsageImpossible, game.Order(game.Hall, Scv));
    }

    [Fact]
    public void An_upgrade_is_researched_once()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var bay = game.Put(22);
        var bay2 = game.Put(22);
        Assert.Equal(ActionResult.Success, game.Order(bay, 3698));
        Assert.Equal(652, bay.Queue[0].Ability.Id);
        Assert.Equal(ActionResult.CantQueueThatOrder, game.Order(bay2, 652));
        Assert.Equal(ActionResult.TechRequirementsNotMet, game.Order(bay2, 653));
        game.Step(2560);
        Assert.Contains(7, game.Player.Upgrades);
        Assert.Contains(Alert.UpgradeComplete, game.World.EventsOf(1).Alerts);
        Assert.Equal(ActionResult.Success, game.Order(bay2, 656));
        game.World.Remove(bay2, died: true);
        Assert.Empty(game.Player.Researching);
    }

    [Fact]
    public void A_lost_buildings_production_frees_its_supply()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var barracks = game.Put(21);
        game.Order(barracks, Marine);
        game.Step(5);
        Assert.Equal(26, game.Player.HalfFoodUsed);
        game.World.Remove(barracks, died: true);
        Assert.Equal(24, game.Player.HalfFoodUsed);
    }

    [Fact]
    public void Chrono_boost_makes_half_as_fast_again()
    {
        var game = new TestWorld(Race.Protoss).Rich();
        game.Hall.Buffs.Add((281, 10000));
        game.Order(game.Hall, 1006);
        game.Step(150);
        Assert.Equal(272 - 225, game.Hall.Queue[0].Left);
    }

    [Fact]
    public void New_workers_go_where_they_are_sent()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var field = game.Worker.Order!.Target!;
        Assert.Equal(ActionResult.Success, game.Order(game.Hall, 1, CommandTarget.Of(field)));
        game.Order(game.Hall, Scv);
        game.Step(273);
        var scv = game.World.Units.Last(u => u.Type.Id == 45 && u.Owner == 1);
        Assert.Equal(AbilityKind.Gather, AbilityKinds.Of(scv.Order!.Ability));
        Assert.True(game.World.Ground.WalkableAt(scv.X, scv.Y));
    }

    [Fact]
    public void Nothing_works_without_power()
    {
        var game = new TestWorld(Race.Protoss).Rich();
        var pylon = game.Put(60);
        var gateway = game.Put(62);
        Assert.Equal(ActionResult.Success, game.Order(gateway, 916));
        game.Step(100);
        game.World.Remove(pylon, died: true);
        game.Step(8);
        var left = gateway.Queue[0].Left;
        game.Step(100);
        Assert.Equal(left, gateway.Queue[0].Left);
        Assert.Equal(ActionResult.CantTrainTooFarFromTrainPowerSource, game.Order(gateway, 916));
    }

    [Fact]
    public void A_gateway_becomes_a_warp_gate_and_warps_in()
    {
        var game = new TestWorld(Race.Protoss).Rich();
        var pylon = game.Put(60);
        var gateway = game.Put(62);
        gateway.Autocast.Add(1518);
        game.Player.Upgrades.Add(84);
        game.Step(165);
        Assert.Equal(133, gateway.Type.Id);
        var (x, y) = Free(game, pylon);
        Assert.Equal(ActionResult.CantWarpInUnitsThere, game.Order(gateway, 1413, CommandTarget.At(pylon.X, pylon.Y)));
        Assert.Equal(ActionResult.Success, game.Order(gateway, 1413, CommandTarget.At(x, y)));
        Assert.Equal(28, game.Player.HalfFoodUsed);
        Assert.Equal(ActionResult.Cooldown, game.Order(gateway, 1413, CommandTarget.At(x + (2 * 4096), y)));
        Assert.DoesNotContain(AvailableAbilities.Of(game.World, gateway, false), a => a.AbilityId == 1413);
        Assert.True(game.StepUntil(() => game.First(73).Finished, 300));
        game.Step(448);
        Assert.Contains(AvailableAbilities.Of(game.World, gateway, false), a => a.AbilityId == 1413 && a.RequiresPoint);
    }

    private static (int X, int Y) Free(TestWorld game, Unit pylon)
    {
        for (var i = 2; i < 6; i++)
        {
            foreach (var (dx, dy) in new[] { (i, 0), (-i, 0), (0, i), (0, -i) })
            {
                var (x, y) = (pylon.X + (dx * 4096), pylon.Y + (dy * 4096));
                if (game.Query(1413, x, y) == ActionResult.Success)
                {
                    return (x, y);
                }
            }
        }

        throw new InvalidOperationException("There is no room at the pylon.");
    }
}
