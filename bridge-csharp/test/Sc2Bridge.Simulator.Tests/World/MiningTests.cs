using Sc2Bridge.Simulator.Commands;

namespace Sc2Bridge.Simulator.Tests.World;

public sealed class MiningTests
{
    [Theory]
    [InlineData(Race.Terran)]
    [InlineData(Race.Zerg)]
    [InlineData(Race.Protoss)]
    public void A_game_begins_with_twelve_workers_at_work(Race race)
    {
        var game = new TestWorld(race);
        var workers = game.World.Units.Where(u => u.Owner == 1 && u.Type.Is(Kind.Worker)).ToArray();
        Assert.Equal(12, workers.Length);
        Assert.All(workers, w => Assert.Equal(AbilityKind.Gather, AbilityKinds.Of(w.Order!.Ability)));
        Assert.Equal((12, 16), (game.Hall.Harvesters, game.Hall.IdealHarvesters));
    }

    [Fact]
    public void Workers_sent_to_one_field_spread()
    {
        var game = new TestWorld(Race.Terran);
        var workers = game.World.Units.Where(u => u.Owner == 1 && u.Type.Is(Kind.Worker)).ToArray();
        Assert.Single(workers.Select(w => w.Order!.Target).Distinct());
        game.Step(200);
        var fields = workers.GroupBy(w => w.Mines!.Tag).ToArray();
        Assert.InRange(fields.Length, 6, 8);
        Assert.All(fields, f => Assert.InRange(f.Count(), 1, 2));
    }

    /// <summary>
    /// python-sc2's autotest_bot.py sends all workers to a field every two loops, until all twelve gather in one observation. That
    /// never happens if a worker with a load turns home.
    /// </summary>
    [Fact]
    public void A_loaded_worker_that_is_told_to_gather_mines_again()
    {
        var game = new TestWorld(Race.Terran);
        var worker = game.Worker;
        Assert.True(game.StepUntil(() => worker.Load == Load.Minerals, 300));
        var field = worker.Mines!;
        Assert.Equal(ActionResult.Success, game.Order(worker, 3666, CommandTarget.Of(field)));
        for (var i = 0; i < 40; i++)
        {
            game.Step(1);
            Assert.Equal(AbilityKind.Gather, AbilityKinds.Of(worker.Order!.Ability));
        }

        Assert.True(game.StepUntil(() => AbilityKinds.Of(worker.Order!.Ability) == AbilityKind.Return, 100));
        Assert.Equal(5, worker.LoadAmount);
    }

    [Fact]
    public void Twelve_workers_bring_what_they_bring_in_the_game()
    {
        var game = new TestWorld(Race.Terran);
        game.Step(1344); // a minute at faster speed
        Assert.InRange(game.Player.Minerals - 50, 600, 780);
        Assert.Equal(game.Player.Minerals - 50, game.Player.Score.CollectedMinerals);
    }

    [Fact]
    public void Minerals_come_by_fives_and_out_of_the_fields()
    {
        var game = new TestWorld(Race.Protoss);
        int Left() => game.World.Units.Where(u => u.Type.Is(Kind.Minerals)).Sum(u => u.Contents);
        var before = Left();
        game.Step(500);
        var carried = game.World.Units.Where(u => u.Owner == 1).Sum(u => u.LoadAmount);
        var others = game.World.Units.Where(u => u.Owner == 2).Sum(u =>
            u.LoadAmount) + game.World.Players[1].Minerals - 50;
        Assert.Equal(0, (game.Player.Minerals - 50) % 5);
        Assert.Equal(before - Left(), game.Player.Minerals - 50 + carried + others);
    }

    [Fact]
    public void Three_workers_empty_a_refinery_at_the_games_rate()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var refinery = Refinery(game);
        foreach (var worker in game.World.Units.Where(u => u.Owner == 1 && u.Type.Is(Kind.Worker)).Take(3).ToArray())
        {
            Assert.Equal(ActionResult.Success, game.Order(worker, 3666, CommandTarget.Of(refinery)));
        }

        game.Step(300);
        var before = game.Player.Vespene;
        game.Step(1344);
        Assert.InRange(game.Player.Vespene - before, 140, 172);
        Assert.Equal(3, refinery.Harvesters);
        Assert.Equal(refinery.Contents, refinery.Home!.Contents);
    }

    /// <summary>
    /// Sharky 7232feb commands its workers at every step: HARVEST_RETURN without a target if they carry something
    /// (Sharky/MicroTasks/Mining/MineralMiner.cs:97, GasMiner.cs:68), else HARVEST_GATHER (MineralMiner.cs:61, GasMiner.cs:89).
    /// It leaves out orders that the observation shows with the same target (Sharky/Unit/UnitCommander.cs:104), but the game
    /// shows a return with the town hall.
    /// </summary>
    [Fact]
    public void Workers_that_get_their_commands_at_every_loop_mine_as_much_as_others()
    {
        var (minerals, vespene) = Mined(commanded: false);
        var (commandedMinerals, commandedVespene) = Mined(commanded: true);
        Assert.InRange(commandedMinerals, minerals * 0.97, minerals * 1.03);
        Assert.InRange(commandedVespene, vespene * 0.97, vespene * 1.03);

        static (int Minerals, int Vespene) Mined(bool commanded)
        {
            var game = new TestWorld(Race.Terran).Rich(0, 0);
            var refinery = Refinery(game);
            var workers = game.World.Units.Where(u => u.Owner == 1 && u.Type.Is(Kind.Worker)).ToArray();
            Assert.All(workers[..3], w => Assert.Equal(
                ActionResult.Success, game.Order(w, 3666, CommandTarget.Of(refinery))));
            game.Step(200);
            var fields = workers.ToDictionary(worker => worker, worker => worker.Mines!);
            var before = (game.Player.Minerals, game.Player.Vespene);
            for (var loop = 0; loop < 4 * 1344; loop++)
            {
                foreach (var worker in commanded ? workers.Where(worker => worker.Present) : [])
                {
                    Assert.Equal(ActionResult.Success, worker.Load == Load.None
                        ? game.Order(worker, 3666, CommandTarget.Of(fields[worker]))
                        : game.Order(worker, 3667));
                }

                game.Step(1);
            }

            return (game.Player.Minerals - before.Minerals, game.Player.Vespene - before.Vespene);
        }
    }

    [Fact]
    public void A_mule_brings_what_it_brings_in_the_game()
    {
        var game = new TestWorld(Race.Terran);
        var field = game.Worker.Order!.Target!;
        foreach (var worker in game.World.Units.Where(u => u.Owner == 1 && u.Type.Is(Kind.Worker)).ToArray())
        {
            game.World.Remove(worker, died: false);
        }

        var mule = game.World.Add(TechTree.Unit(268), 1, game.Hall.X, game.Hall.Y - (3 * Geometry.Cell));
        Assert.Equal(ActionResult.Success, game.Order(mule, 3666, CommandTarget.Of(field)));
        game.Step(1434);
        Assert.InRange(game.Player.Minerals - 50, 200, 250);
    }

    [Fact]
    public void A_field_that_is_empty_goes_and_its_workers_find_another()
    {
        var game = new TestWorld(Race.Terran);
        var field = game.Worker.Order!.Target!;
        field.Contents = 5;
        game.Step(800);
        Assert.False(field.Alive);
        Assert.All(game.World.Units.Where(u => u.Owner == 1 && u.Type.Is(Kind.Worker)), w => Assert.NotNull(w.Order));
        Assert.Contains(Alert.MineralsExhausted, game.World.EventsOf(1).Alerts);
    }

    [Fact]
    public void Those_in_a_refinery_that_dies_come_out()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var refinery = Refinery(game);
        var worker = game.Worker;
        game.Order(worker, 3666, CommandTarget.Of(refinery));
        Assert.True(game.StepUntil(() => worker.Carrier == refinery, 500));
        game.World.Remove(refinery, died: true);
        game.Step(1);
        Assert.True(worker.Present && worker.Alive);
        Assert.True(game.World.Ground.WalkableAt(worker.X, worker.Y));
    }

    [Fact]
    public void A_return_that_is_asked_for_ends_where_more_is_queued()
    {
        var game = new TestWorld(Race.Protoss);
        var worker = game.Worker;
        Assert.True(game.StepUntil(() => worker.Load != Load.None, 500));
        Assert.Equal(ActionResult.Success, game.Order(worker, 3667));
        Assert.Equal(ActionResult.Success,
            game.Order(worker, 3794, CommandTarget.At(game.Start.X, game.Start.Y + (8 * 4096)), queued: true));
        Assert.True(game.StepUntil(() => worker.Load == Load.None, 500));
        game.Step(1);
        Assert.Equal(AbilityKind.Move, AbilityKinds.Of(worker.Order!.Ability));
    }

    [Fact]
    public void Targets_that_cannot_be_mined_are_refused_as_in_the_game()
    {
        var game = new TestWorld(Race.Terran);
        var geyser = game.World.Units.First(u => u.Type.Is(Kind.Geyser));
        Assert.Equal(ActionResult.MustBuildRefineryFirst, game.Order(game.Worker, 3666, CommandTarget.Of(geyser)));
        Assert.Equal(ActionResult.MustTargetResources, game.Order(game.Worker, 3666, CommandTarget.Of(game.Hall)));
        Assert.Equal(ActionResult.MustTargetUnit, game.Order(game.Worker, 3666, CommandTarget.At(4096, 4096)));
        Assert.Equal(ActionResult.NotSupported, game.Order(game.Hall, 3666, CommandTarget.Of(geyser)));
    }

    /// <summary>
    /// Sharky 7232feb sends workers to a gas building that is 99 % built (Sharky/MicroTasks/Mining/MiningTask.cs:187), with a
    /// click or a gather command (GasMiner.cs:52 and 89). It repeats no click (line 41). The game's workers wait there:
    /// Ahli/sc2xml, issues 122 and 173.
    /// </summary>
    [Theory]
    [InlineData(Race.Protoss, UnitId.Assimilator, 1)]
    [InlineData(Race.Protoss, UnitId.Assimilator, 3666)]
    [InlineData(Race.Zerg, UnitId.Extractor, 1)]
    [InlineData(Race.Zerg, UnitId.Extractor, 3666)]
    public void A_worker_waits_at_an_unfinished_gas_building_and_then_collects_gas(Race race, int type, int ability)
    {
        var game = new TestWorld(race);
        var (building, worker) = (Refinery(game, type, buildLoops: 400), game.Worker);
        Assert.Equal(ActionResult.Success, game.Order(worker, ability, CommandTarget.Of(building)));
        game.Step(390);
        Assert.False(building.Finished);
        Assert.Equal((AbilityKind.Gather, building), (AbilityKinds.Of(worker.Order!.Ability), worker.Order.Target));
        var contact = worker.Type.Radius + building.Type.Radius + Movement.Tolerance;
        Assert.InRange(Geometry.Length(worker.X - building.X, worker.Y - building.Y), 0, contact);
        Assert.True(game.StepUntil(() => worker.Carrier == building, 20));
        Assert.True(building.Finished);
        Assert.True(game.StepUntil(() => game.Player.Vespene > 0, 200));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_click_on_an_unfinished_refinery_means_to_build_it_if_nobody_does(bool builderDies)
    {
        var game = new TestWorld(Race.Terran).Rich();
        var (geyser, builder) = (Geyser(game), game.Worker);
        Assert.Equal(ActionResult.Success, game.Order(builder, 320, CommandTarget.Of(geyser)));
        Assert.True(game.StepUntil(() => game.Count(UnitId.Refinery) == 1, 500));
        var (refinery, other) = (game.First(UnitId.Refinery), game.First(u => u.Type.Is(Kind.Worker) && u != builder));
        if (builderDies)
        {
            game.World.Remove(builder, died: true);
        }

        Assert.Equal(ActionResult.Success, game.Order(other, 1, CommandTarget.Of(refinery)));
        var means = AbilityKinds.Of(other.Order!.Ability);
        Assert.Equal(builderDies ? AbilityKind.Build : AbilityKind.Gather, means);
        Assert.Equal(ActionResult.Success, game.Order(other, 3666, CommandTarget.Of(refinery), queued: true));
        Assert.True(game.StepUntil(() => other.Carrier == refinery, 1000));
    }

    private static Simulator.World.Unit Refinery(TestWorld game, int type = UnitId.Refinery, int buildLoops = 0)
    {
        var geyser = Geyser(game);
        var refinery = game.World.Add(TechTree.Unit(type), 1, geyser.X, geyser.Y, buildLoops);
        (refinery.Home, refinery.Contents) = (geyser, geyser.Contents);
        return refinery;
    }

    private static Simulator.World.Unit Geyser(TestWorld game) => game.World.Units.Where(u => u.Type.Is(Kind.Geyser))
        .MinBy(u => Geometry.Length(u.X - game.Start.X, u.Y - game.Start.Y))!;
}
