using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Tests.Api;

public sealed class PlayingTests
{
    private static SC2APIProtocol.Action Camera(float x, float y) => new()
    {
        ActionRaw = new ActionRaw
        {
            CameraMove = new ActionRawCameraMove { CenterWorldSpace = new Point { X = x, Y = y } },
        },
    };

    [Fact]
    public void Every_action_has_its_result_and_is_reported_once()
    {
        var game = Game.Played();
        var selecting = new SC2APIProtocol.Action { ActionUi = new ActionUI { SelectArmy = new ActionSelectArmy() } };
        var nothing = new SC2APIProtocol.Action();
        var answer = game.Act(Camera(60, 50), selecting, nothing, Camera(float.NaN, 1), Game.Say("hello"));
        Assert.Equal(
            [ActionResult.Success, ActionResult.Error, ActionResult.Error, ActionResult.Error, ActionResult.Success],
            answer.Result);
        Assert.Empty(game.Observe().Observation.Actions);
        game.Step();
        var seen = game.Observe().Observation;
        var action = Assert.Single(seen.Actions);
        Assert.Equal(Camera(60, 50).ActionRaw, action.ActionRaw);
        Assert.Equal(0u, action.GameLoop);
        Assert.Equal((1u, "hello"), (Assert.Single(seen.Chat).PlayerId, seen.Chat[0].Message));
        Assert.Equal(60, seen.Observation.RawData.Player.Camera.X);
        game.Step();
        var next = game.Observe().Observation;
        Assert.Empty(next.Actions);
        Assert.Empty(next.Chat);
    }

    [Fact]
    public void A_command_is_told_as_it_was_done_by_those_who_took_it()
    {
        var game = Game.Played();
        var seen = game.Observe().Observation.Observation.RawData.Units;
        var units = seen.Where(u => u.Alliance == Alliance.Self).ToArray();
        var (hall, worker) = (units.First(u => u.UnitType == 18), units.First(u => u.UnitType == 45));
        var move = new ActionRawUnitCommand
        {
            AbilityId = 3794,
            TargetWorldSpacePos = Game.At(hall.Pos.X + 6.25f, hall.Pos.Y + 6.25f),
            UnitTags = { hall.Tag, worker.Tag, 77 },
        };
        var train = new ActionRawUnitCommand { AbilityId = 524, UnitTags = { hall.Tag } };
        var enemy = new ActionRawUnitCommand { AbilityId = 16, UnitTags = { 77 }, TargetUnitTag = hall.Tag };
        var answer = game.Act(Raw(move), Raw(train), Raw(train), Raw(enemy));
        Assert.All(answer.Result.Take(3), result => Assert.Equal(ActionResult.Success, result));
        Assert.Equal(ActionResult.Error, answer.Result[3]);
        game.Step();

        // The second player has no minerals left by then, so its command is dropped without an error.
        var done = game.Observe().Observation.Actions.Select(a => a.ActionRaw.UnitCommand).ToArray();
        Assert.Equal([16, 524], done.Select(c => c.AbilityId));
        Assert.Equal([worker.Tag], done[0].UnitTags);
        Assert.Equal(move.TargetWorldSpacePos, done[0].TargetWorldSpacePos);

        static SC2APIProtocol.Action Raw(ActionRawUnitCommand command) =>
            new() { ActionRaw = new ActionRaw { UnitCommand = command } };
    }

    /// <summary>PySC2's environment raises an error if an episode's last observation has no result.</summary>
    [Fact]
    public void The_first_observation_after_the_end_has_the_results()
    {
        var game = Ended(new SimulatorOptions().EndQuirks);
        Assert.Equal([Result.Victory, Result.Defeat], game.Observe().Observation.PlayerResult.Select(r => r.Result));
    }

    [Fact]
    public void The_end_can_be_reported_late()
    {
        var game = Ended(EndQuirks.LateResults);
        var first = game.Observe();
        Assert.Equal(Status.Ended, first.Status);
        Assert.Empty(first.Observation.PlayerResult);
        Assert.Equal([Result.Victory, Result.Defeat], game.Observe().Observation.PlayerResult.Select(r => r.Result));
        Assert.Equal("Game has already ended", Assert.Single(game.Step().Error));
        var act = game.Handle(new Request { Action = new RequestAction() });
        Assert.Equal("Not supported if game has already ended", Assert.Single(act.Error));
    }

    [Fact]
    public void The_state_can_come_later_than_the_end()
    {
        var game = Ended(EndQuirks.LateStatus, Status.InGame);
        var refused = game.Handle(new Request { Observation = new RequestObservation() });
        Assert.Equal("Game has already ended", Assert.Single(refused.Error));
        Assert.Equal(Status.Ended, game.Observe().Status);
    }

    [Fact]
    public void A_stub_can_come_last()
    {
        var game = Ended(EndQuirks.Stub | EndQuirks.LateResults);
        Assert.Empty(game.Observe().Observation.PlayerResult);
        Assert.NotEqual(uint.MaxValue, game.Observe().Observation.Observation.GameLoop);
        var stub = game.Observe().Observation;
        Assert.Equal(uint.MaxValue, stub.Observation.GameLoop);
        Assert.Equal(2, stub.PlayerResult.Count);
    }

    /// <summary>Units without a weapon in ResponseData, or that only fight burrowed, also count as army.</summary>
    [Theory]
    [InlineData(9u)] // baneling
    [InlineData(57u)] // battlecruiser
    [InlineData(79u)] // carrier
    [InlineData(80u)] // void ray
    [InlineData(494u)] // swarm host
    [InlineData(498u)] // widow mine
    [InlineData(502u)] // lurker
    [InlineData(694u)] // disruptor
    public void Every_unit_that_fights_counts_as_army(uint type)
    {
        var game = Game.Played();
        game.Debug(new DebugCommand
        {
            CreateUnit = new DebugCreateUnit { UnitType = type, Owner = 1, Pos = Game.At(60, 60), Quantity = 1 },
        });
        game.Step(2);
        Assert.Equal(1u, game.Observe().Observation.Observation.PlayerCommon.ArmyCount);
    }

    [Fact]
    public void Before_a_game_and_after_it_the_games_own_words_are_said()
    {
        var game = new SimulatedGame(new SimulatorOptions());
        Assert.Equal("A game has not been started yet", Assert.Single(game.Step().Error));
        var save = game.Handle(new Request { SaveReplay = new RequestSaveReplay() });
        Assert.Equal("Not in a game", Assert.Single(save.Error));
    }

    [Fact]
    public void Ways_are_measured_and_where_there_is_none_nothing_is_said()
    {
        var game = Game.Joined(Game.Create());
        var starts = game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo.StartRaw.StartLocations;
        var query = new RequestQuery();
        query.Pathing.Add(Way(starts[0].X + 4, starts[0].Y + 4, starts[1].X - 4, starts[1].Y - 4));
        query.Pathing.Add(Way(starts[0].X, starts[0].Y, 0, float.NaN));
        query.Pathing.Add(Way(starts[0].X, starts[0].Y, 0.5f, 0.5f));
        var answer = game.Handle(new Request { Query = query }).Query;
        Assert.InRange(answer.Pathing[0].Distance, 60, 400);
        Assert.All(answer.Pathing.Skip(1), p => Assert.False(p.HasDistance));

        static RequestQueryPathing Way(float fromX, float fromY, float toX, float toY) => new()
        {
            StartPos = new Point2D { X = fromX, Y = fromY },
            EndPos = new Point2D { X = toX, Y = toY },
        };
    }

    [Fact]
    public void An_observer_looks_where_and_as_whom_it_says()
    {
        var game = Game.Joined(Game.Create());
        var look = new RequestObserverAction();
        look.Actions.Add(new ObserverAction { PlayerPerspective = new() { PlayerId = 2 } });
        look.Actions.Add(new ObserverAction { CameraMove = new() { WorldPos = Game.At(33, 44) } });
        game.Handle(new Request { ObsAction = look });
        var seen = game.Observe().Observation.Observation;
        Assert.Equal(2u, seen.PlayerCommon.PlayerId);
        Assert.Equal((33f, 44f), (seen.RawData.Player.Camera.X, seen.RawData.Player.Camera.Y));
    }

    [Fact]
    public void A_client_that_leaves_while_its_queries_are_answered_ends_that_and_nothing_else()
    {
        var game = Game.Played();
        using var left = new CancellationTokenSource();
        left.Cancel();
        var way = new RequestQueryPathing { StartPos = Game.At(30, 30), EndPos = Game.At(100, 90) };
        var query = new Request { Query = new RequestQuery { Pathing = { way, way } } };
        Assert.Throws<OperationCanceledException>(() => game.Begin(query, left.Token));
        game.Abandon();
        Assert.Equal(2, game.Handle(query).Query.Pathing.Count);
    }

    [Fact]
    public void A_quick_save_is_gone_back_to()
    {
        var game = Game.Played();
        game.Act(Game.Say("before"));
        game.Step(30);
        game.Observe();
        Assert.NotNull(game.Handle(new Request { QuickSave = new RequestQuickSave() }).QuickSave);
        game.Step(20);
        var then = game.Observe().Observation;
        game.Act(Game.Say("forgotten"));
        game.Step(50);
        Assert.NotNull(game.Handle(new Request { QuickLoad = new RequestQuickLoad() }).QuickLoad);
        Assert.Equal(30u, game.Observe().Observation.Observation.GameLoop);
        game.Step(20);
        Assert.Equal(then, game.Observe().Observation);
    }

    private static SimulatedGame Ended(EndQuirks quirks, Status status = Status.Ended)
    {
        var game = Game.Played(options: new SimulatorOptions { EndQuirks = quirks });
        game.Debug(Game.End(DebugEndGame.Types.EndResult.DeclareVictory));
        Assert.Equal(status, game.Step().Status);
        return game;
    }
}
