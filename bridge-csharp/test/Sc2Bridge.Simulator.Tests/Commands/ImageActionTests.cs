using Google.Protobuf;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Tests.Observing;
using Click = SC2APIProtocol.ActionSpatialUnitSelectionPoint.Types.Type;
using GroupAction = SC2APIProtocol.ActionControlGroup.Types.ControlGroupAction;
using Panel = SC2APIProtocol.ActionMultiPanel.Types.Type;

namespace Sc2Bridge.Simulator.Tests.Commands;

/// <summary>Mouse actions on images, keys and panels.</summary>
public sealed class ImageActionTests
{
    private const int Marine = 48;
    private const int Move = 16;
    private const int Scv = 45;

    [Fact]
    public void A_click_selects_a_unit_and_a_click_on_the_ground_sends_it_there()
    {
        var game = Begin();
        var (x, y) = PixelOf(game, Scv);
        Do(game, Mouse(new() { UnitSelectionPoint = new() { SelectionScreenCoord = At(x, y), Type = Click.Select } }));
        var seen = See(game);
        Assert.Equal((uint)Scv, seen.UiData.Single.Unit.UnitType);
        Assert.Equal(45, seen.UiData.Single.Unit.MaxHealth);
        Assert.Single(seen.RawData.Units, u => u.IsSelected);
        Assert.Contains(1, seen.FeatureLayerData.Renders.Selected.Pixels());
        Assert.Contains(seen.Abilities, a => a.AbilityId == Move && a.RequiresPoint);
        Assert.Contains(seen.Abilities, a => !a.RequiresPoint);

        Do(game, Mouse(new() { UnitCommand = new() { AbilityId = Move, TargetScreenCoord = At(2, 80) } }));
        var order = Assert.Single(See(game).RawData.Units.Single(u => u.IsSelected).Orders);
        var camera = seen.RawData.Player.Camera;
        Assert.Equal(camera.X - 12 + (2.5f * 24 / 84), order.TargetWorldSpacePos.X, 0.01f);
        Assert.Equal(camera.Y + 12 - (80.5f * 24 / 84), order.TargetWorldSpacePos.Y, 0.01f);

        Do(game, Mouse(new() { UnitCommand = new() { AbilityId = Move, TargetMinimapCoord = At(32, 32) } }));
        var far = Assert.Single(See(game).RawData.Units.Single(u => u.IsSelected).Orders).TargetWorldSpacePos;
        var size = game.Match!.World.Map;
        Assert.Equal(32.5f * Math.Max(size.Width, size.Height) / 64, far.X, 0.01f);
    }

    [Fact]
    public void A_selection_and_what_it_is_told_may_come_in_one_request()
    {
        var game = Begin();
        var (x, y) = PixelOf(game, Scv);
        var select = Mouse(new() { UnitSelectionPoint = new() { SelectionScreenCoord = At(x, y) } });
        var move = Mouse(new() { UnitCommand = new() { AbilityId = Move, TargetScreenCoord = At(2, 80) } });
        Assert.Equal([ActionResult.Error], game.Act(move).Result);
        Assert.Equal([ActionResult.Success, ActionResult.Success], game.Act(select, move).Result);
        game.Step();
        var answer = game.Observe().Observation;
        Assert.Equal(Move, (int)answer.Observation.RawData.Units.Single(u => u.IsSelected).Orders[0].AbilityId);
        Assert.Equal([select, move], answer.Actions.Select(a => new SC2APIProtocol.Action { ActionFeatureLayer = a.ActionFeatureLayer }));

        // An impossible action is reported late.
        var hall = Mouse(new() { UnitSelectionPoint = new() { SelectionScreenCoord = Pixel(game, 18) } });
        var build = Mouse(new() { UnitCommand = new() { AbilityId = 321, TargetScreenCoord = At(2, 80) } });
        Assert.Equal([ActionResult.Success, ActionResult.Success], game.Act(hall, build).Result);
        game.Step();
        Assert.Equal(321ul, Assert.Single(game.Observe().Observation.ActionErrors).AbilityId);
    }

    [Fact]
    public void A_frame_takes_units_rather_than_buildings_and_groups_keep_them()
    {
        var game = Begin();
        Frame(game, add: false);
        Assert.Equal(12, See(game).UiData.Multi.Units.Count);
        Do(game, Group(GroupAction.Set, 3));
        Do(game, Keys(new() { MultiPanel = new() { Type = Panel.SingleSelect, UnitIndex = 4 } }));
        Assert.Equal((uint)Scv, See(game).UiData.Single.Unit.UnitType);
        Do(game, Group(GroupAction.AppendAndSteal, 9));
        var groups = See(game).UiData.Groups;
        Assert.Equal([(3u, (uint)Scv, 11u), (9u, (uint)Scv, 1u)], groups.Select(g => (g.ControlGroupIndex, g.LeaderUnitType, g.Count)));
        Do(game, Group(GroupAction.Recall, 3));
        Assert.Equal(11, See(game).UiData.Multi.Units.Count);
        Do(game, Keys(new() { MultiPanel = new() { Type = Panel.DeselectUnit, UnitIndex = 0 } }));
        Assert.Equal(10, See(game).UiData.Multi.Units.Count);
        Do(game, Keys(new() { MultiPanel = new() { Type = Panel.DeselectAllOfType, UnitIndex = 0 } }));
        Assert.Equal(ObservationUI.PanelOneofCase.None, See(game).UiData.PanelCase);
    }

    [Fact]
    public void Keys_select_the_army_idle_workers_and_of_a_type_all_on_the_screen()
    {
        var game = Begin();
        Assert.Equal(ActionResult.Success, Assert.Single(game.Act(Keys(new() { SelectArmy = new() })).Result));
        game.Step();
        Assert.Equal(ObservationUI.PanelOneofCase.None, See(game).UiData.PanelCase);
        var at = See(game).RawData.Player.Camera;
        game.Debug(new DebugCommand
        {
            CreateUnit = new() { UnitType = Marine, Owner = 1, Quantity = 3, Pos = Game.At(at.X + 4, at.Y - 5) },
        });
        game.Step(2);
        Do(game, Keys(new() { SelectArmy = new() }));
        Assert.Equal([Marine, Marine, Marine], See(game).UiData.Multi.Units.Select(u => (int)u.UnitType));
        Do(game, Keys(new() { SelectIdleWorker = new() { Type = ActionSelectIdleWorker.Types.Type.AddAll } }));
        Assert.Equal(3, See(game).UiData.Multi.Units.Count);
        var (x, y) = PixelOf(game, Scv);
        Do(game, Mouse(new() { UnitSelectionPoint = new() { SelectionScreenCoord = At(x, y), Type = Click.AddAllType } }));
        Assert.Equal(15, See(game).UiData.Multi.Units.Count);
    }

    [Fact]
    public void A_building_shows_what_it_makes_and_a_click_there_takes_it_back()
    {
        var game = Begin();
        Do(game, Mouse(new() { UnitSelectionPoint = new() { SelectionScreenCoord = Pixel(game, 18) } }));
        Do(game, Mouse(new() { UnitCommand = new() { AbilityId = 524 } }));
        Assert.Contains(1, See(game).FeatureLayerData.MinimapRenders.Selected.Pixels());
        var production = See(game).UiData.Production;
        Assert.Equal(((uint)Scv, 524u), (production.BuildQueue[0].UnitType, production.ProductionQueue[0].AbilityId));
        Do(game, Keys(new() { ProductionPanel = new() { UnitIndex = 0 } }));
        var seen = See(game);
        Assert.Equal((18u, 50u), (seen.UiData.Single.Unit.UnitType, seen.PlayerCommon.Minerals));
    }

    [Fact]
    public void The_camera_goes_where_the_minimap_is_clicked()
    {
        var game = Begin();
        Do(game, Mouse(new() { CameraMove = new() { CenterMinimap = At(10, 50) } }));
        var seen = See(game);
        var map = game.Match!.World.Map;
        var scale = Math.Max(map.Width, map.Height) / 64f;
        Assert.Equal((10.5f * scale, map.Height - (50.5f * scale)), (seen.RawData.Player.Camera.X, seen.RawData.Player.Camera.Y));
        Assert.Equal(1, seen.FeatureLayerData.MinimapRenders.Camera.At(10, 50));
    }

    /// <summary>raw.proto: a snapshot is of something seen before. PySC2's screen shows nothing else in the fog.</summary>
    [Fact]
    public void A_click_in_the_fog_means_a_field_that_is_remembered_and_nothing_that_came_since()
    {
        var game = Begin();
        var world = game.Match!.World;
        var (x, y) = PixelOf(game, Scv);
        Do(game, Mouse(new() { UnitSelectionPoint = new() { SelectionScreenCoord = At(x, y), Type = Click.Select } }));
        var field = world.Units.First(u => u.Type.Is(Kind.Minerals) && !u.IsKnownTo(1));
        world.PlayerOf(1).Camera = (field.X, field.Y);
        Assert.Equal(field.Tag, Clicked().TargetUnitTag);

        var start = world.Map.Bases[world.Map.Starts[1]];
        var forceField = world.Add(TechTree.Unit(135), GameWorld.Neutral, start.X, start.Y - (7 * Geometry.Cell));
        world.PlayerOf(1).Camera = (forceField.X, forceField.Y);
        Assert.Equal(UnitOrder.TargetOneofCase.TargetWorldSpacePos, Clicked().TargetCase);

        UnitOrder Clicked()
        {
            Do(game, Mouse(new() { UnitCommand = new() { AbilityId = 1, TargetScreenCoord = At(42, 42) } }));
            return See(game).RawData.Units.Single(u => u.IsSelected).Orders[0];
        }
    }

    public static TheoryData<SC2APIProtocol.Action> Wrong =>
    [
        Mouse(new()),
        Mouse(new() { UnitCommand = new() { AbilityId = Move, TargetScreenCoord = At(10, 10) } }),
        Mouse(new() { CameraMove = new() }),
        Mouse(new() { CameraMove = new() { CenterMinimap = At(64, 0) } }),
        Mouse(new() { CameraMove = new() { CenterMinimap = At(0, -1) } }),
        Mouse(new() { UnitSelectionPoint = new() }),
        Mouse(new() { UnitSelectionPoint = new() { SelectionScreenCoord = At(int.MaxValue, int.MinValue) } }),
        Mouse(new() { UnitSelectionRect = new() }),
        Mouse(new() { UnitSelectionRect = new() { SelectionScreenCoord = { new RectangleI { P0 = At(1, 1) } } } }),
        Mouse(new() { UnitSelectionRect = new() { SelectionScreenCoord = { new RectangleI { P0 = At(1, 1), P1 = At(85, 1) } } } }),
        Mouse(new() { UnitSelectionRect = new() { SelectionScreenCoord = { Enumerable.Repeat(new RectangleI { P0 = At(1, 1), P1 = At(2, 2) }, 65) } } }),
        Keys(new()),
        Group(GroupAction.Set, 10),
        Keys(new() { MultiPanel = new() { UnitIndex = 0 } }),
        Keys(new() { CargoPanel = new() { UnitIndex = -1 } }),
        Keys(new() { ProductionPanel = new() { UnitIndex = 0 } }),
        Keys(new() { ToggleAutocast = new() { AbilityId = 316 } }),
        new SC2APIProtocol.Action { ActionRender = new() { CameraMove = new() { CenterMinimap = At(1, 1) } } },
    ];

    [Fact]
    public void An_order_by_tags_beside_another_thing_of_the_mouse_is_carried_out_and_told()
    {
        var game = Begin();
        var worker = See(game).RawData.Units.First(u => u.UnitType == Scv && u.Alliance == Alliance.Self);
        var order = new ActionRawUnitCommand { AbilityId = Move, UnitTags = { worker.Tag }, TargetWorldSpacePos = new() { X = 60, Y = 60 } };
        var both = Mouse(new() { CameraMove = new() { CenterMinimap = At(10, 50) } });
        both.ActionRaw = new() { UnitCommand = order };
        Assert.Equal([ActionResult.Success], game.Act(both).Result);
        game.Step();
        var told = Assert.Single(game.Observe().Observation.Actions, action => action.ActionRaw is not null);
        Assert.Equal(Move, told.ActionFeatureLayer.UnitCommand.AbilityId);
    }

    /// <summary>PySC2's reverse_action supports HARVEST_RETURN only without a target.</summary>
    [Fact]
    public void A_right_click_that_becomes_an_ability_without_a_target_is_told_without_one()
    {
        const uint CarriesMinerals = 271;
        var game = Begin();
        SC2APIProtocol.Unit? carrier = null;
        for (var loop = 0; carrier is null && loop < 400; loop++)
        {
            game.Step();
            carrier = See(game).RawData.Units.FirstOrDefault(u => u.Alliance == Alliance.Self && u.BuffIds.Contains(CarriesMinerals));
        }

        var hall = See(game).RawData.Units.First(u => u.UnitType == 18);
        var smart = new ActionRawUnitCommand { AbilityId = 1, UnitTags = { carrier!.Tag }, TargetUnitTag = hall.Tag };
        Assert.Equal([ActionResult.Success], game.Act(new SC2APIProtocol.Action { ActionRaw = new() { UnitCommand = smart } }).Result);
        game.Step();
        var told = Assert.Single(game.Observe().Observation.Actions).ActionFeatureLayer.UnitCommand;
        Assert.Equal(AbilityData.Types.Target.None, TechTree.FindAbility(told.AbilityId)!.Target);
        Assert.Equal(ActionSpatialUnitCommand.TargetOneofCase.None, told.TargetCase);
    }

    [Theory]
    [MemberData(nameof(Wrong))]
    public void Points_outside_an_image_or_a_panel_are_refused(SC2APIProtocol.Action action) =>
        Assert.Equal([ActionResult.Error], Begin().Act(action).Result);

    [Fact]
    public void An_ability_that_no_unit_has_is_refused_by_name()
    {
        var game = Begin();
        Frame(game, add: false);
        Assert.Equal(
            [ActionResult.NotSupported, ActionResult.NotSupported],
            game.Act(
                Mouse(new() { UnitCommand = new() { AbilityId = 999_999, TargetScreenCoord = At(9, 9) } }),
                Keys(new() { ToggleAutocast = new() { AbilityId = 999_999 } })).Result);
    }

    [Fact]
    public void Without_feature_layers_there_is_neither_mouse_nor_panel()
    {
        var game = Game.Played();
        Assert.Equal(
            [ActionResult.Error, ActionResult.Error],
            game.Act(
                Mouse(new() { CameraMove = new() { CenterMinimap = At(1, 1) } }), Keys(new() { SelectArmy = new() })).Result);
        Assert.Null(See(game).UiData);
    }

    [Theory]
    [InlineData(0, 84, 64, 24)]
    [InlineData(84, 84, 0, 24)]
    [InlineData(100_000, 84, 64, 24)]
    [InlineData(84, -1, 64, 24)]
    [InlineData(84, 84, 64, 0)]
    [InlineData(84, 84, 64, float.NaN)]
    public void Images_of_no_size_or_a_huge_one_are_refused_with_what_can_be(int width, int height, int minimap, float cells)
    {
        var options = Images.Options(width, height, minimap);
        options.FeatureLayer.Width = cells;
        var game = new SimulatedGame(new SimulatorOptions());
        game.Handle(new Request { CreateGame = Game.CreateForOne() });
        var answer = game.Handle(new Request { JoinGame = new() { Race = Race.Zerg, Options = options } }).JoinGame;
        Assert.Equal(ResponseJoinGame.Types.Error.FeatureUnsupported, answer.Error);
        Assert.Contains("1 to 512 pixels", answer.ErrorDetails, StringComparison.Ordinal);
    }

    [Fact]
    public void The_same_seed_and_clicks_give_the_same_bytes_and_nothing_breaks_whatever_they_are()
    {
        static byte[][] Play()
        {
            var (random, game, seen) = (new Random(7), Begin(Race.Zerg), new List<byte[]>());
            for (var i = 0; i < 400; i++)
            {
                foreach (var result in game.Act(Any(random), Any(random)).Result)
                {
                    Assert.True(Enum.IsDefined(result), $"{result}");
                }

                game.Step((uint)random.Next(1, 4));
                seen.Add(game.Observe().ToByteArray());
            }

            return [.. seen];
        }

        var (first, second) = (Play(), Play());
        Assert.All(first.Zip(second), pair => Assert.Equal(pair.First, pair.Second));
    }

    private static SC2APIProtocol.Action Any(Random random)
    {
        // Mostly values that fit the images, sometimes any value.
        int Number(int most) => random.Next(20) == 0 ? random.Next(int.MinValue, int.MaxValue) : random.Next(most);
        PointI Point(int most) => At(Number(most), Number(most));
        var ability = random.Next(8) switch { 0 => Number(4000), 1 => 1, 2 => 1342, 3 => 23, _ => 16 };
        return random.Next(14) switch
        {
            0 => Mouse(new() { UnitCommand = new() { AbilityId = ability, TargetScreenCoord = Point(84) } }),
            1 => Mouse(new() { UnitCommand = new() { AbilityId = ability, TargetMinimapCoord = Point(64), QueueCommand = true } }),
            2 => Mouse(new() { UnitCommand = new() { AbilityId = ability } }),
            3 => Mouse(new() { CameraMove = new() { CenterMinimap = Point(64) } }),
            4 => Mouse(new() { UnitSelectionPoint = new() { SelectionScreenCoord = Point(84), Type = (Click)random.Next(0, 6) } }),
            5 => Mouse(new()
            {
                UnitSelectionRect = new()
                {
                    SelectionAdd = random.Next(2) == 0,
                    SelectionScreenCoord = { new RectangleI { P0 = Point(84), P1 = Point(84) } },
                },
            }),
            6 => Keys(new() { ControlGroup = new() { Action = (GroupAction)random.Next(0, 7), ControlGroupIndex = (uint)Number(11) } }),
            7 => Keys(new() { SelectArmy = new() { SelectionAdd = true } }),
            8 => Keys(new() { SelectLarva = new() }),
            9 => Keys(new() { SelectIdleWorker = new() { Type = (ActionSelectIdleWorker.Types.Type)random.Next(0, 6) } }),
            10 => Keys(new() { MultiPanel = new() { Type = (Panel)random.Next(0, 6), UnitIndex = Number(12) } }),
            11 => Keys(new() { CargoPanel = new() { UnitIndex = Number(3) } }),
            12 => Keys(new() { ProductionPanel = new() { UnitIndex = Number(3) } }),
            _ => Keys(new() { ToggleAutocast = new() { AbilityId = ability } }),
        };
    }

    private static SimulatedGame Begin(Race race = Race.Terran)
    {
        var game = Game.Joined(Game.CreateForOne(), new RequestJoinGame { Race = race, Options = Images.Options() });
        game.Step(2);
        return game;
    }

    private static void Do(SimulatedGame game, SC2APIProtocol.Action action)
    {
        Assert.Equal([ActionResult.Success], game.Act(action).Result);
        game.Step();
    }

    private static void Frame(SimulatedGame game, bool add) => Do(game, Mouse(new()
    {
        UnitSelectionRect = new()
        {
            SelectionAdd = add,
            SelectionScreenCoord = { new RectangleI { P0 = At(0, 0), P1 = At(83, 83) } },
        },
    }));

    private static Observation See(SimulatedGame game) => game.Observe().Observation.Observation;

    private static PointI At(int x, int y) => new() { X = x, Y = y };

    private static PointI Pixel(SimulatedGame game, int type) => PixelOf(game, type) is var (x, y) ? At(x, y) : At(-1, -1);

    // The middle pixel of a unit type's pixels.
    private static (int X, int Y) PixelOf(SimulatedGame game, int type)
    {
        var pixels = See(game).FeatureLayerData.Renders.UnitType.Pixels().Index().Where(p => p.Item == type).ToArray();
        return (pixels[pixels.Length / 2].Index % 84, pixels[pixels.Length / 2].Index / 84);
    }

    private static SC2APIProtocol.Action Mouse(ActionSpatial action) => new() { ActionFeatureLayer = action };

    private static SC2APIProtocol.Action Keys(ActionUI action) => new() { ActionUi = action };

    private static SC2APIProtocol.Action Group(GroupAction action, uint index) =>
        Keys(new() { ControlGroup = new() { Action = action, ControlGroupIndex = index } });
}
