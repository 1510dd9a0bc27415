using Google.Protobuf;
using Sc2Bridge.Simulator.Observing;
using Sc2Bridge.Simulator.Pathing;
using Sc2Bridge.Simulator.Tests.World;

namespace Sc2Bridge.Simulator.Tests.Observing;

public sealed class FeatureLayerTests
{
    [Theory]
    [InlineData(Race.Terran)]
    [InlineData(Race.Zerg)]
    [InlineData(Race.Protoss)]
    public void The_pixels_of_a_unit_hold_what_the_raw_interface_tells_of_it(Race race)
    {
        var game = new TestWorld(race);
        game.Step(300);
        var seen = game.World.By(1, Images.Options(256, 256)).Observation;
        var screen = seen.FeatureLayerData.Renders;
        var grid = PixelGrid.Screen(Images.Options(256, 256).FeatureLayer, game.Player.Camera.X, game.Player.Camera.Y);
        var checkedUnits = 0;
        foreach (var unit in seen.RawData.Units)
        {
            var (x, y) = (grid.Column((long)(unit.Pos.X * Geometry.Cell)), grid.Row((long)(unit.Pos.Y * Geometry.Cell)));
            if ((uint)x >= 256 || (uint)y >= 256 || screen.UnitDensity.At(x, y) != 1)
            {
                continue;
            }

            checkedUnits++;
            Assert.Equal((int)unit.UnitType, screen.UnitType.At(x, y));
            Assert.Equal(unit.Owner, screen.PlayerId.At(x, y));
            Assert.Equal((int)unit.Alliance, screen.PlayerRelative.At(x, y));
            Assert.Equal((int)unit.Health, screen.UnitHitPoints.At(x, y));
            Assert.Equal((int)unit.Shield, screen.UnitShields.At(x, y));
            Assert.Equal((int)unit.Energy, screen.UnitEnergy.At(x, y));
            Assert.Equal(unit.IsActive ? 1 : 0, screen.Active.At(x, y));
            Assert.Equal((int)unit.BuffIds.FirstOrDefault(), screen.Buffs.At(x, y));
            Assert.Equal(unit.BuildProgress >= 1 ? 255 : 0, screen.BuildProgress.At(x, y) / 255 * 255);
            Assert.InRange(screen.UnitDensityAa.At(x, y), 12, 48);
        }

        Assert.InRange(checkedUnits, 12, int.MaxValue);
        Assert.Contains(1, screen.Buildable.Pixels());
        Assert.Contains(1, screen.Pathable.Pixels());
        Assert.Equal(race == Race.Zerg, screen.Creep.Pixels().Contains(1));
        var types = screen.UnitType.Pixels();
        Assert.Equal([2], screen.VisibilityMap.Pixels().Where((_, i) => types[i] == game.Hall.Type.Id).Distinct());
    }

    [Fact]
    public void Every_layer_has_its_size_also_where_pixels_do_not_fill_bytes()
    {
        var game = new TestWorld(Race.Zerg);
        foreach (var (width, height, minimap) in new[] { (7, 5, 3), (1, 1, 1), (13, 84, 33), (512, 40, 512) })
        {
            var seen = game.World.By(1, Images.Options(width, height, minimap)).Observation.FeatureLayerData;
            foreach (var (message, table, size) in new (IMessage, FeatureLayer[], (int X, int Y))[]
            {
                (seen.Renders, FeatureLayer.Screen, (width, height)),
                (seen.MinimapRenders, FeatureLayer.Minimap, (minimap, minimap)),
            })
            {
                Assert.Equal(message.Descriptor.Fields.InFieldNumberOrder().Select(f => f.Name), table.Select(l => l.Name));
                foreach (var layer in table)
                {
                    var image = message.Layer(layer.Name);
                    Assert.Equal(layer.Field, message.Descriptor.FindFieldByName(layer.Name).FieldNumber);
                    Assert.Equal((layer.Bits, size), (image.BitsPerPixel, (image.Size.X, image.Size.Y)));
                    Assert.Equal(((size.X * size.Y * layer.Bits) + 7) / 8, image.Data.Length);
                }
            }
        }
    }

    [Fact]
    public void What_stands_beside_units_is_drawn_where_it_is()
    {
        var game = new TestWorld(Race.Protoss).Rich();
        var pylon = game.Put(60);
        var (x, y) = game.Site(TechTree.Unit(62).MadeBy!.Id);
        Assert.Equal(ActionResult.Success, game.Order(game.Worker, TechTree.Unit(62).MadeBy!.Id, Sc2Bridge.Simulator.Commands.CommandTarget.At(x, y)));
        game.World.Effects.Add(new Sc2Bridge.Simulator.World.Effect(EffectId.PsiStorm, 1, pylon.X, pylon.Y, 10_000));
        game.Player.Camera = (pylon.X, pylon.Y);
        var options = Images.Options();
        var seen = game.World.By(1, options).Observation.FeatureLayerData;
        Assert.Equal(1, seen.Renders.Power.At(42, 42));
        Assert.Equal(EffectId.PsiStorm, seen.Renders.Effects.At(42, 42));
        var grid = PixelGrid.Screen(options.FeatureLayer, pylon.X, pylon.Y);
        Assert.Equal(1, seen.Renders.Placeholder.At(grid.Column(x), grid.Row(y)));
        var radius = pylon.Type.PowerRadius * 84 / (24 * Geometry.Cell);
        Assert.InRange(seen.Renders.Power.Pixels().Sum(), 3 * radius * radius, 4 * radius * radius);
        var map = PixelGrid.Minimap(options.FeatureLayer, new MapWindow(game.World.Map, crop: false));
        Assert.Equal(1, seen.MinimapRenders.Camera.At(map.Column(pylon.X), map.Row(pylon.Y)));
        Assert.Equal(1, seen.MinimapRenders.PlayerId.At(map.Column(pylon.X), map.Row(pylon.Y)));
        Assert.All(seen.MinimapRenders.UnitType.Pixels(), pixel => Assert.Equal(0, pixel));
        options.FeatureLayer.AllowCheatingLayers = true;
        Assert.Contains(60, game.World.By(1, options).Observation.FeatureLayerData.MinimapRenders.UnitType.Pixels());
    }

    [Fact]
    public void A_cropped_minimap_shows_the_playable_area_alone()
    {
        var game = new TestWorld(Race.Terran);
        var area = game.World.Map.Playable;
        int[] Edge(bool crop) => [.. game.World.By(1, Images.Options(crop: crop)).Observation.FeatureLayerData
            .MinimapRenders.Pathable.Pixels()];
        Assert.True(Edge(true).Sum() > Edge(false).Sum());
        var grid = PixelGrid.Minimap(
            Images.Options(crop: true).FeatureLayer, new MapWindow(game.World.Map, crop: true));
        Assert.Equal((0, 0), (grid.Column((long)area.X0 * Geometry.Cell), grid.Row(((long)area.Y1 * Geometry.Cell) - 1)));
    }

    /// <summary>PySC2's obs_test.py, test_hide_cloaked and test_show_cloaked.</summary>
    [Theory]
    [InlineData(false, 0, 0)]
    [InlineData(true, 76, 1)]
    public void A_cloaked_enemy_is_drawn_as_the_client_asked_without_its_points(bool show, int type, int cloaked)
    {
        var game = new TestWorld(Race.Protoss);
        var templar = game.World.Add(TechTree.Unit(76), 2, game.Worker.X, game.Worker.Y + Geometry.Cell);
        game.Step(8);
        game.Player.Camera = (templar.X, templar.Y);
        var options = Images.Options(240, 240);
        options.ShowCloaked = show;
        var screen = game.World.By(1, options).Observation.FeatureLayerData.Renders;
        Assert.Equal(type == 0 ? 0 : 1, screen.UnitType.Pixels().Contains(76) ? 1 : 0);
        Assert.Equal(cloaked, screen.Cloaked.Pixels().Max());
        var points = screen.UnitHitPoints.Pixels().Zip(screen.UnitShields.Pixels()).ToArray();
        Assert.All(screen.UnitType.Pixels().Index().Where(p => p.Item == 76), p => Assert.Equal((0, 0), points[p.Index]));
    }

    [Fact]
    public void The_raw_interface_is_the_same_to_the_byte_with_layers_and_without()
    {
        var (with, without) = (new TestWorld(Race.Zerg), new TestWorld(Race.Zerg));
        for (var i = 0; i < 20; i++)
        {
            with.Step(8);
            without.Step(8);
            var seen = with.World.By(1, Images.Options());
            seen.Observation.FeatureLayerData = null;
            seen.Observation.UiData = null;
            Assert.Equal(without.World.By(1).ToByteString(), seen.ToByteString());
        }
    }

    [Fact]
    [Trait("ThirdParty", "real messages")]
    [Trait("Needs", "real")]
    public void A_real_message_has_the_layers_with_these_bits()
    {
        var real = Real();
        foreach (var (message, table) in new (IMessage, FeatureLayer[])[]
        {
            (real.FeatureLayerData.Renders, FeatureLayer.Screen), (real.FeatureLayerData.MinimapRenders, FeatureLayer.Minimap),
        })
        {
            var layers = table.Where(l => message.Layer(l.Name) is not null).ToArray();
            Assert.Equal(Seen.Fields(message), layers.Select(l => l.Name));
            Assert.All(layers, l => Assert.Equal(l.Bits, message.Layer(l.Name).BitsPerPixel));
            Assert.InRange(layers.Length, 9, table.Length);
        }

        Assert.NotNull(real.UiData);
    }

    [Fact]
    [Trait("ThirdParty", "real messages")]
    [Trait("Needs", "real")]
    public void A_real_message_is_drawn_as_ours_are()
    {
        var real = Real();
        var (screen, minimap) = (real.FeatureLayerData.Renders, real.FeatureLayerData.MinimapRenders);
        var (camera, map) = (real.RawData.Player.Camera, real.RawData.MapState.Visibility);
        static int Place(float at) => (int)(at * Geometry.Cell);
        var over = new PixelGrid(128, 128, 0, (long)map.Size.Y * Geometry.Cell, (long)map.Size.X * Geometry.Cell, 128);
        var setup = new SpatialCameraSetup { Width = 24, Resolution = screen.Creep.Size };
        var front = PixelGrid.Screen(setup, Place(camera.X), Place(camera.Y));
        var (ours, theirs) = (new LayerImage(FeatureLayer.Minimap, 128, 128), new LayerImage(FeatureLayer.Screen, 128, 128));
        var (owner, cover, type) = (ours.IndexOf("player_id"), theirs.IndexOf("unit_density_aa"), theirs.IndexOf("unit_type"));
        foreach (var unit in real.RawData.Units)
        {
            var (x, y, radius) = (Place(unit.Pos.X), Place(unit.Pos.Y), Place(unit.Radius));
            theirs.Cover(cover, front, x, y, radius);
            theirs.Disc([type], [(int)unit.UnitType], front, x, y, radius);
            if (unit.Alliance == Alliance.Self)
            {
                ours.Disc([owner], [unit.Owner], over, x, y, radius);
            }
        }

        Assert.Equal(minimap.PlayerId.Pixels().Select(p => p == 1), ours.Data(owner).ToArray().Select(p => p == 1));
        Assert.Equal(screen.UnitDensityAa.Data.ToByteArray(), theirs.Data(cover).ToArray());

        Assert.Equal(screen.UnitType.Data.ToByteArray(), theirs.Data(type).ToArray());
        // Raw grids of that build start at the top row.
        var seen = minimap.VisibilityMap.Pixels();
        Assert.Equal(
            Enumerable.Range(0, 128 * 128).Select(i => map.At(
                (int)(over.X(i % 128) / Geometry.Cell), map.Size.Y - 1 - (int)(over.Y(i / 128) / Geometry.Cell))),
            seen);
        var framed = new LayerView(FeatureLayer.Minimap, minimap.Camera.Size);
        framed.Begin(new ViewPoint(default, new TestWorld(Race.Terran).World, null!, 1, default), over);
        framed.Frame("camera", front);
        Assert.Equal(minimap.Camera.Data.ToByteArray(), framed.Image.Data(framed.Image.IndexOf("camera")).ToArray());
    }

    private static Observation Real() =>
        ResponseObservation.Parser.ParseFrom(SharedFolder.Read("data/real/feature_layers.observation.pb")).Observation;
}
