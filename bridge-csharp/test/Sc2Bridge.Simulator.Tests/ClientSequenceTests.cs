using Value = SC2APIProtocol.DebugSetUnitValue.Types.UnitValue;

namespace Sc2Bridge.Simulator.Tests;

/// <summary>
/// Sequences of cpp-sc2's tests for StarCraft II (71510f6, tests/) with their expectations. A line number without a file is of
/// test_unit_command.cc.
/// </summary>
public sealed class ClientSequenceTests
{
    private const float Middle = EmptyGame.Middle;
    private const uint Scv = 45;
    private const uint Bunker = 24;
    private const uint Marauder = 51;
    private const uint Marine = 48;
    private const int Move = 16;
    private const int Smart = 1;

    /// <summary>test_observation_interface.cc:217 makes units for the empty seat.</summary>
    [Fact]
    public void One_participant_plays_on_and_its_enemies_can_be_made()
    {
        var game = new EmptyGame();
        game.Make(Marine, Middle, Middle);
        game.Make(76, Middle, Middle + 3, owner: 2, count: 10);
        game.Step(200);
        var seen = game.Api.Observe();
        Assert.Equal((Status.InGame, 200u), (seen.Status, seen.Observation.Observation.GameLoop));
        var info = game.Api.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo;
        Assert.Equal(1u, Assert.Single(info.PlayerInfo).PlayerId);
        game.Switch(DebugGameState.ShowMap);
        game.Make(73, Middle + 40, Middle, owner: 2);
        game.Step(10);
        Assert.Equal((Alliance.Enemy, 2), (game.One(73).Alliance, game.One(73).Owner));
        game.Api.Debug(Game.End(DebugEndGame.Types.EndResult.Surrender));
        game.Step();
        var result = Assert.Single(game.Api.Observe().Observation.PlayerResult);
        Assert.Equal((1u, Result.Defeat), (result.PlayerId, result.Result));
    }

    /// <summary>test_observation_interface.cc:140.</summary>
    [Fact]
    public void A_player_begins_without_minerals()
    {
        var game = new EmptyGame();
        game.Switch(DebugGameState.AllResources);
        game.Step();
        Assert.Equal((5000u, 5000u), (game.Seen.PlayerCommon.Minerals, game.Seen.PlayerCommon.Vespene));
    }

    /// <summary>Line 825: an orbital command has 50.30 to 50.32 after ten loops, and 0.83 to 0.85 after 25 with a scan.</summary>
    [Fact]
    public void Energy_comes_from_the_second_loop_on()
    {
        var game = new EmptyGame();
        game.Make(132, Middle, Middle);
        game.Step(10);
        var orbital = game.One(132);
        Assert.InRange(orbital.Energy, 50.30f, 50.32f);
        game.Step(10);
        game.Order(orbital, 399, at: Game.At(Middle + 50, Middle));
        game.Step(5);
        Assert.InRange(game.One(132).Energy, 0.83f, 0.85f);
    }

    /// <summary>Line 1393: 25 to 25.2 two loops after they were set.</summary>
    [Fact]
    public void Shields_come_back_from_the_second_loop_on()
    {
        var game = new EmptyGame();
        game.Make(73, Middle, Middle);
        game.Step(10);
        game.Set(game.One(73), Value.Shields, 25);
        game.Step();
        Assert.Equal(25, game.One(73).Shield);
        game.Step();
        Assert.InRange(game.One(73).Shield, 25, 25.2f);
    }

    /// <summary>Line 969: there is a neutral geyser, and it has at least 100 after a probe's visit.</summary>
    [Fact]
    public void An_assimilator_stands_on_a_geyser()
    {
        var game = new EmptyGame();
        game.Make(61, Middle + 5, Middle);
        game.Make(59, Middle - 20, Middle);
        game.Make(84, Middle, Middle);
        game.Step(10);
        var assimilator = game.One(61);
        ulong tag = game.Units.Single(unit => unit.UnitType == 342 && unit.Pos.Equals(assimilator.Pos)).Tag;
        SC2APIProtocol.Unit Geyser() => game.Units.Single(unit => unit.Tag == tag);
        Assert.Equal(Alliance.Neutral, Geyser().Alliance);
        game.Order(game.One(84), 3666, assimilator);
        game.Step(140);
        Assert.Equal(299u, game.One(84).Orders[0].AbilityId);
        Assert.InRange(Geyser().VespeneContents, 100, 2250 - 4);
        Assert.Equal(Geyser().VespeneContents, game.One(61).VespeneContents);
    }

    /// <summary>Lines 1286 and 1294: the second level of infantry armour is ordered at loop 10 and complete at loop 200.</summary>
    [Fact]
    public void Fast_build_is_sixteen_times_as_fast()
    {
        var game = new EmptyGame().WithEverything();
        const uint Armour = 12;
        game.Make(22, Middle, Middle);
        game.Step(10);
        Assert.DoesNotContain(Armour, game.Seen.RawData.Player.UpgradeIds);
        game.Order(game.One(22), 3697);
        game.Step(190);
        Assert.Contains(Armour, game.Seen.RawData.Player.UpgradeIds);
    }

    /// <summary>Line 559: a marine is still in the queue ten loops after it was ordered.</summary>
    [Fact]
    public void Fast_build_is_not_at_once()
    {
        var game = new EmptyGame().WithEverything();
        game.Make(21, Middle, Middle);
        game.Step(10);
        game.Order(game.One(21), 560);
        game.Step(10);
        Assert.Single(game.One(21).Orders);
        game.Order(game.One(21), 3671);
        game.Step(80);
        Assert.DoesNotContain(game.Units, unit => unit.UnitType == Marine);
    }

    /// <summary>Line 1652: a unit that a bunker calls has an order to move. Lines 1661 to 1670: it is inside, of eight places.</summary>
    [Fact]
    public void A_unit_that_a_bunker_calls_moves_there()
    {
        var game = new EmptyGame().WithEverything();
        game.Make(Bunker, Middle, Middle);
        game.Make(Marauder, Middle + 5, Middle);
        game.Step(10);
        var (bunker, marauder) = (game.One(Bunker), game.One(Marauder));
        game.Order(bunker, 3668, marauder);
        game.Step(5);
        var order = Assert.Single(game.One(Marauder).Orders);
        Assert.Equal(((uint)Move, bunker.Tag), (order.AbilityId, order.TargetUnitTag));
        game.Step(135);
        bunker = game.One(Bunker);
        Assert.Equal(marauder.Tag, Assert.Single(bunker.Passengers).Tag);
        Assert.Equal((8, 2), (bunker.CargoSpaceMax, bunker.CargoSpaceTaken));
    }

    /// <summary>
    /// Line 1731: ten loops after a right click, four marauders take eight places. The test makes three. The fourth is of the
    /// test before: its bunker was killed while the marauder was inside (test_framework.cc:40; the client's GetUnit finds no
    /// passenger, so that only the bunker is killed).
    /// </summary>
    [Fact]
    public void A_marauder_survives_the_bunker_that_a_debug_command_kills()
    {
        var game = new EmptyGame().WithEverything();
        game.Make(Bunker, Middle, Middle);
        game.Make(Marauder, Middle, Middle);
        game.Step(10);
        game.Order(game.One(Marauder), Smart, game.One(Bunker));
        game.Step(40);
        Assert.Single(game.One(Bunker).Passengers);
        game.Kill(game.One(Bunker));
        game.Step();
        game.Make(Bunker, Middle, Middle);
        game.Make(Marauder, Middle, Middle, count: 3);
        game.Step(10);
        foreach (var marauder in game.Units.Where(unit => unit.UnitType == Marauder).ToArray())
        {
            game.Order(marauder, Smart, game.One(Bunker));
        }

        game.Step(10);
        Assert.Equal((8, 8), (game.One(Bunker).CargoSpaceMax, game.One(Bunker).CargoSpaceTaken));
        game.Order(game.One(Bunker), 3664);
        game.Step(130);
        Assert.Equal((8, 0), (game.One(Bunker).CargoSpaceMax, game.One(Bunker).CargoSpaceTaken));
    }

    /// <summary>
    /// Line 517: the SCV stands on the place of its factory. The test before (line 456) has had a creep tumour for 450 loops, ten
    /// cells away. After 300 loops its creep is wide enough for a spine crawler.
    /// </summary>
    [Fact]
    public void An_SCV_builds_on_its_own_place_ten_cells_from_a_new_creep_tumour()
    {
        var game = new EmptyGame().WithEverything();
        game.Make(137, Middle - 10, Middle);
        game.Make(104, Middle, Middle);
        game.Step(310);
        game.Order(game.One(104), 1166, at: Game.At(Middle - 8, Middle));
        game.Step(140);
        Assert.Equal(1, game.One(98).BuildProgress);
        game.Kill(game.One(137));
        game.Kill(game.One(98));
        game.Make(Scv, Middle, Middle);
        game.Step(10);
        game.Order(game.One(Scv), 328, at: Game.At(Middle, Middle));
        game.Step(10);
        Assert.Empty(game.Api.Observe().Observation.ActionErrors);
        Assert.Equal(328u, game.One(Scv).Orders[0].AbilityId);
        Assert.InRange(game.One(27).BuildProgress, 0.01f, 0.99f);
        game.Order(game.One(27), 3659);
        game.Step(20);
        Assert.Empty(game.One(Scv).Orders);
        Assert.DoesNotContain(game.Units, unit => unit.UnitType == 27);
    }

    /// <summary>Lines 1167 and 1170: after 90 loops the unit is exactly on its target, and faces left.</summary>
    [Fact]
    public void A_moved_unit_stops_on_its_target()
    {
        var game = new EmptyGame().WithEverything();
        game.Make(107, Middle, Middle);
        game.Step(10);
        game.Order(game.One(107), 3794, at: Game.At(Middle - 5, Middle));
        game.Step(90);
        var hydralisk = game.One(107);
        Assert.Equal((Middle - 5, Middle, 0), (hydralisk.Pos.X, hydralisk.Pos.Y, hydralisk.Orders.Count));
        Assert.InRange(hydralisk.Facing, 3.09300422f, 3.19114877f);
    }

    /// <summary>Line 1264: a trained marine is exactly on the rally point.</summary>
    [Fact]
    public void A_trained_unit_stops_on_the_rally_point()
    {
        var game = new EmptyGame().WithEverything();
        game.Make(21, Middle, Middle);
        game.Step(20);
        game.Order(game.One(21), 3673, at: Game.At(Middle + 5, Middle));
        game.Order(game.One(21), 560);
        game.Step(80);
        Assert.Equal((Middle + 5, Middle), (game.One(Marine).Pos.X, game.One(Marine).Pos.Y));
    }

    /// <summary>test_snapshots.cc:203: an SCV goes to a mineral field that died in the fog.</summary>
    [Theory]
    [InlineData(3666)] // gather
    [InlineData(Smart)]
    [InlineData(3794)] // move
    public void A_unit_goes_to_a_field_that_died_unseen(int ability)
    {
        var game = new EmptyGame();
        game.Make(18, Middle, Middle);
        game.Make(Scv, Middle, Middle + 4);
        game.Make(341, Middle - 12, Middle + 12, owner: 0);
        game.Switch(DebugGameState.ShowMap);
        game.Step(10);
        var field = game.Units.Where(unit => unit.UnitType == 341)
            .MinBy(unit => Math.Abs(unit.Pos.X - Middle + 12) + Math.Abs(unit.Pos.Y - Middle - 12))!;
        game.Switch(DebugGameState.ShowMap);
        game.Step(10);
        game.Kill(field);
        game.Step(10);
        Assert.Equal(DisplayType.Snapshot, game.Units.Single(unit => unit.Tag == field.Tag).DisplayType);
        var before = game.One(Scv).Pos;
        game.Order(game.One(Scv), ability, field);
        game.Step(20);
        var after = game.One(Scv).Pos;
        Assert.InRange(after.Y - before.Y, 0.5f, 20);
        Assert.Equal(field.Tag, game.One(Scv).Orders[0].TargetUnitTag);
        game.Step(60);
        Assert.DoesNotContain(game.Units, unit => unit.Tag == field.Tag);
        Assert.Empty(game.One(Scv).Orders);
    }

    /// <summary>Line 1566: 150 loops after a hatchery, one of its larvae has become a roach, and it has three.</summary>
    [Fact]
    public void Larvae_come_faster_too_if_everything_is_built_fast()
    {
        var game = new EmptyGame().WithEverything();
        game.Make(UnitId.Hatchery, Middle - 10, Middle);
        game.Step(40);
        game.Order(game.Units.First(unit => unit.UnitType == UnitId.Larva), 1351);
        game.Step(110);
        Assert.Equal(3, game.Units.Count(unit => unit.UnitType == UnitId.Larva));
        Assert.Equal(1, game.One(UnitId.Roach).BuildProgress);
    }

    /// <summary>test_feature_layer.cc:245 and 256: a frame from (0, 0) to (60, 60) in an image of 60 rows is reported unchanged.</summary>
    [Theory]
    [InlineData(80, 80)]
    [InlineData(80, 60)]
    [InlineData(60, 80)]
    public void A_frame_may_end_at_the_images_edge(int columns, int rows)
    {
        var size = new Size2DI { X = columns, Y = rows };
        var options = new InterfaceOptions
        {
            Raw = true,
            FeatureLayer = new SpatialCameraSetup { Width = 24, Resolution = size, MinimapResolution = size.Clone() },
        };
        var game = new EmptyGame(options);
        game.Make(Scv, Middle, Middle);
        game.Step();
        var frame = new RectangleI { P0 = new PointI { X = 0, Y = 0 }, P1 = new PointI { X = 60, Y = 60 } };
        var drawn = new SC2APIProtocol.Action
        {
            ActionFeatureLayer = new ActionSpatial
            {
                UnitSelectionRect = new ActionSpatialUnitSelectionRect { SelectionScreenCoord = { frame } },
            },
        };
        Assert.Equal(ActionResult.Success, Assert.Single(game.Api.Act(drawn).Result));
        game.Step();
        var told = Assert.Single(game.Api.Observe().Observation.Actions);
        Assert.Equal(frame, Assert.Single(told.ActionFeatureLayer.UnitSelectionRect.SelectionScreenCoord));
        frame.P1.X = Math.Max(columns, rows) + 1;
        Assert.Equal(ActionResult.Error, Assert.Single(game.Api.Act(drawn).Result));
    }
}
