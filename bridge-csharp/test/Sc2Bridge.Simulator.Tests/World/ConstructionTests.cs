using Sc2Bridge.Simulator.Commands;

namespace Sc2Bridge.Simulator.Tests.World;

public sealed class ConstructionTests
{
    private const int Depot = 319;
    private const int Pylon = 881;
    private const int Pool = 1155;

    [Fact]
    public void An_SCV_stays_until_its_building_stands()
    {
        var game = new TestWorld(Race.Terran).Rich(100, 0);
        var scv = game.Worker;
        var (x, y) = game.Site(Depot);
        Assert.Equal(ActionResult.Success, game.Order(scv, Depot, CommandTarget.At(x, y)));
        Assert.Equal(100, game.Player.Minerals);
        Assert.True(game.StepUntil(() => game.Count(19) == 1, 400));
        var depot = game.First(19);
        Assert.Equal((x, y, 480), (depot.X, depot.Y, depot.BuildLoops));
        Assert.Equal(15, game.Player.FoodCap);
        game.Step(240);
        Assert.InRange(depot.Health, 200 * 256, 240 * 256);
        Assert.Same(depot, scv.Order!.Made);
        game.Step(250);
        Assert.True(depot.Finished);
        Assert.Equal((23, 400 * 256), (game.Player.FoodCap, depot.Health));
        Assert.Null(scv.Order);
        Assert.Contains(Alert.BuildingComplete, game.World.EventsOf(1).Alerts);
    }

    /// <summary>python-sc2's autotest_bot.py orders another building every ten loops. One worker builds, the others mine.</summary>
    [Fact]
    public void Where_a_worker_is_on_its_way_to_build_no_other_is_sent_to_build_the_same()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var (scv, other) = (game.Worker, game.First(u => u.Type.Is(Kind.Worker) && u != game.Worker));
        var (x, y) = game.Site(Depot);
        Assert.Equal(ActionResult.Success, game.Order(scv, Depot, CommandTarget.At(x, y)));
        Assert.Equal(ActionResult.CantBuildLocationInvalid, game.Order(other, Depot, CommandTarget.At(x, y)));
        Assert.Equal(ActionResult.Success, game.Query(Depot, x, y));
        Assert.Equal(ActionResult.Success, game.Order(scv, Depot, CommandTarget.At(x, y)));
        game.World.Remove(scv, died: true);
        game.Step(1);
        Assert.Equal(ActionResult.Success, game.Order(other, Depot, CommandTarget.At(x, y)));
    }

    [Fact]
    public void A_building_waits_for_another_SCV_where_its_own_is_lost()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var scv = game.Worker;
        var (x, y) = game.Site(Depot);
        game.Order(scv, Depot, CommandTarget.At(x, y));
        Assert.True(game.StepUntil(() => game.Count(19) == 1, 400));
        var depot = game.First(19);
        game.World.Remove(scv, died: true);
        var left = depot.BuildLeft;
        game.Step(50);
        Assert.Equal(left, depot.BuildLeft);
        Assert.Equal(ActionResult.Success, game.Order(game.Worker, 1, CommandTarget.Of(depot)));
        Assert.True(game.StepUntil(() => depot.Finished, 1000));
    }

    [Fact]
    public void A_probe_goes_on_at_once()
    {
        var game = new TestWorld(Race.Protoss).Rich();
        var probe = game.Worker;
        var (x, y) = game.Site(Pylon);
        game.Order(probe, Pylon, CommandTarget.At(x, y));
        Assert.Equal(ActionResult.Success, game.Order(probe, 3666, CommandTarget.Of(Field(game)), queued: true));
        Assert.True(game.StepUntil(() => game.Count(60) == 1, 400));
        game.Step(1);
        Assert.Equal(AbilityKind.Gather, AbilityKinds.Of(probe.Order!.Ability));
        Assert.True(game.StepUntil(() => game.First(60).Finished, 410));
        Assert.Equal(23, game.Player.FoodCap);
    }

    [Fact]
    public void A_drone_becomes_its_building_and_frees_its_supply()
    {
        var game = new TestWorld(Race.Zerg).Rich(200, 0);
        var drone = game.Worker;
        var (x, y) = game.Site(Pool);
        Assert.Equal(ActionResult.Success, game.Order(drone, Pool, CommandTarget.At(x, y)));
        Assert.True(game.StepUntil(() => game.Count(89) == 1, 400));
        Assert.False(drone.Alive);
        Assert.Equal(22, game.Player.HalfFoodUsed);
        var pool = game.First(89);
        var before = game.Player.Minerals;
        Assert.Equal(ActionResult.Success, game.Order(pool, 3659));
        Assert.Equal(before + 150, game.Player.Minerals);
        Assert.Equal((0, 24), (game.Count(89), game.Player.HalfFoodUsed));
    }

    [Fact]
    public void A_cancelled_building_gives_three_quarters_back()
    {
        var game = new TestWorld(Race.Protoss).Rich(1000, 0);
        var (x, y) = game.Site(Pylon);
        game.Order(game.Worker, Pylon, CommandTarget.At(x, y));
        Assert.True(game.StepUntil(() => game.Count(60) == 1, 400));
        var before = game.Player.Minerals;
        Assert.Equal(ActionResult.Success, game.Order(game.First(60), 314));
        Assert.Equal(before + 75, game.Player.Minerals);
        Assert.Equal(ActionResult.Success, game.Query(Pylon, x, y));
    }

    [Fact]
    public void Late_failures_are_reported()
    {
        var game = new TestWorld(Race.Protoss).Rich(100, 0);
        var (x, y) = game.Site(Pylon);
        var probe = game.Worker;
        Assert.Equal(ActionResult.Success, game.Order(probe, Pylon, CommandTarget.At(x, y)));
        foreach (var worker in game.World.Units.Where(u => u.Owner == 1 && u.Type.Is(Kind.Worker) && u != probe))
        {
            game.Order(worker, 3665);
        }

        game.Player.Minerals = 99;
        Assert.True(game.StepUntil(() => game.World.EventsOf(1).Errors.Count > 0, 400));
        var error = game.World.EventsOf(1).Errors[0];
        Assert.Equal((ActionResult.NotEnoughMinerals, probe.Tag, (ulong)Pylon),
            (error.Result, error.UnitTag, error.AbilityId));
        Assert.Equal(0, game.Count(60));
    }

    [Theory]
    [InlineData(Race.Zerg, 1152)]
    [InlineData(Race.Terran, 318)]
    public void A_worker_that_comes_too_late_to_a_site_reports_an_error(Race race, int ability)
    {
        var game = new TestWorld(race).Rich();
        var site = game.World.Map.Bases.Where(b => game.Query(ability, b.X, b.Y) == ActionResult.Success)
            .MinBy(b => Geometry.Length(b.X - game.Start.X, b.Y - game.Start.Y))!;
        var workers = game.World.Units.Where(u => u.Owner == 1 && u.Type.Is(Kind.Worker)).Take(4).ToArray();
        Assert.All(workers, w => OrderGiving.Give(
            game.World, w, TechTree.Ability(ability), CommandTarget.At(site.X, site.Y), queued: false));
        Assert.True(game.StepUntil(() => workers.Count(w => w.Alive && w.Order is null) == 3, 900));
        Assert.All(game.World.EventsOf(1).Errors, e => Assert.Equal(ActionResult.CantBuildLocationInvalid, e.Result));
        Assert.Equal(3, game.World.EventsOf(1).Errors.Count);
    }

    [Fact]
    public void Places_are_refused_as_the_game_does()
    {
        var game = new TestWorld(Race.Protoss).Rich();
        var field = Field(game);
        Assert.Equal(ActionResult.CantBuildLocationInvalid, game.Query(Pylon, game.Start.X, game.Start.Y));
        Assert.Equal(ActionResult.CantBuildTooCloseToResources, Near(game, 880, field.X, field.Y));
        var (x, y) = game.Site(Pylon);
        Assert.Equal(ActionResult.CantBuildTooFarFromBuildPowerSource, game.Query(883, x + 2048, y + 2048));
        game.Put(60);
        Assert.Equal(ActionResult.Success, game.Query(883, game.Site(883).X, game.Site(883).Y));
        foreach (var b in game.World.Map.Bases.Where(b => (b.X, b.Y) != (game.Start.X, game.Start.Y)).Skip(1))
        {
            var taken = game.World.Units.Any(u => u.Type.Is(Kind.TownHall) && (u.X, u.Y) == (b.X, b.Y));
            Assert.Equal(taken ? ActionResult.CantBuildLocationInvalid
                : ActionResult.Success, game.Query(880, b.X, b.Y));
        }
    }

    [Fact]
    public void Zerg_build_on_creep_and_others_off_it()
    {
        var game = new TestWorld(Race.Zerg).Rich();
        var (x, y) = game.Site(Pool);
        Assert.Equal(ActionResult.CantBuildLocationInvalid, game.Query(321, x, y));
        var far = game.World.Map.Bases.MaxBy(b => Geometry.Length(b.X - game.Start.X, b.Y - game.Start.Y))!;
        var other = game.World.Map.Bases.First(b => b != far && b != game.Start);
        Assert.Equal(ActionResult.CantBuildTooFarFromCreepSource, game.Query(Pool, other.X, other.Y));
    }

    [Fact]
    public void A_refinery_stands_on_a_geyser_and_only_one()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var geyser = game.World.Units.Where(u => u.Type.Is(Kind.Geyser))
            .MinBy(u => Geometry.Length(u.X - game.Start.X, u.Y - game.Start.Y))!;
        Assert.Equal(ActionResult.MustTargetUnit, game.Order(game.Worker, 320, CommandTarget.At(geyser.X, geyser.Y)));
        Assert.Equal(ActionResult.CantBuildOnThat, game.Order(game.Worker, 320, CommandTarget.Of(Field(game))));
        Assert.Equal(ActionResult.Success, game.Query(320, geyser.X, geyser.Y));
        Assert.Equal(ActionResult.Success, game.Order(game.Worker, 320, CommandTarget.Of(geyser)));
        Assert.True(game.StepUntil(() => game.Count(20) == 1 && game.First(20).Finished, 1000));
        Assert.Equal(geyser.Contents, game.First(20).Contents);
        Assert.Equal(ActionResult.CantBuildLocationInvalid, game.Order(game.Worker, 320, CommandTarget.Of(geyser)));
        Assert.Equal(ActionResult.CantBuildLocationInvalid, game.Query(320, geyser.X, geyser.Y));
    }

    [Fact]
    public void Repair_costs_a_quarter()
    {
        var game = new TestWorld(Race.Terran).Rich(1000, 0);
        foreach (var worker in game.World.Units.Where(u => u.Owner == 1 && u.Type.Is(Kind.Worker)))
        {
            game.Order(worker, 3665);
        }

        game.Step(1);
        (game.Hall.Health, var before) = (750 * 256, game.Player.Minerals);
        Assert.Equal(ActionResult.Success, game.Order(game.Worker, 3685, CommandTarget.Of(game.Hall)));
        Assert.True(game.StepUntil(() => game.Hall.Health == 1500 * 256, 1000));
        Assert.InRange(before - game.Player.Minerals, 49, 50);
        Assert.Equal(ActionResult.RequiresRepairTarget, game.Order(game.Worker, 3685, CommandTarget.Of(game.Hall)));
    }

    [Fact]
    public void An_idle_worker_that_repairs_by_itself_does_so_while_there_is_money()
    {
        const int Repair = 316;
        var game = new TestWorld(Race.Terran).Rich(0, 0);
        foreach (var unit in game.World.Units.Where(u => u.Owner == 1 && u.Type.Is(Kind.Worker)))
        {
            game.Order(unit, 3665);
        }

        game.Hall.Health = 1400 * 256;
        var (worker, toggle) = (game.Worker, new ActionRawToggleAutocast { AbilityId = 3685 });
        toggle.UnitTags.Add(worker.Tag);
        game.Step(10);
        Assert.Equal(ActionResult.Success, Commander.ToggleAutocast(game.World, game.Player, toggle));
        game.Step(10);
        Assert.Null(worker.Order);
        game.Rich(1000, 0);
        Assert.True(game.StepUntil(() => worker.Order is { Ability.Id: Repair }, 8));
        Assert.True(game.StepUntil(() => game.Hall.Health == 1500 * 256, 500));
        game.Step(10);
        Assert.Null(worker.Order);
        Commander.ToggleAutocast(game.World, game.Player, toggle);
        game.Hall.Health = 1400 * 256;
        game.Step(10);
        Assert.Null(worker.Order);
    }

    private static Simulator.World.Unit Field(TestWorld game) => game.World.Units.Where(u => u.Type.Is(Kind.Minerals))
        .MinBy(u => Geometry.Length(u.X - game.Start.X, u.Y - game.Start.Y))!;

    // The first answer other than for occupied ground, on a line away from the town hall past the mineral fields.
    private static ActionResult Near(TestWorld game, int ability, int x, int y)
    {
        var (dx, dy) = (Math.Sign(x - game.Start.X), Math.Sign(y - game.Start.Y));
        for (var i = 3; i < 12; i++)
        {
            var answer = game.Query(ability, x + (dx * i * Geometry.Cell), y + (dy * i * Geometry.Cell));
            if (answer != ActionResult.CantBuildLocationInvalid)
            {
                return answer;
            }
        }

        return ActionResult.CantBuildTooCloseToResources;
    }
}
