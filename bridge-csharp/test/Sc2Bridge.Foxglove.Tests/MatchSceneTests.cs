using System.Buffers.Binary;
using System.Text.Json;
using FoxgloveSchemas;
using Google.Protobuf;
using SC2APIProtocol;
using Attribute = SC2APIProtocol.Attribute;

namespace Sc2Bridge.Foxglove.Tests;

/// <summary>Units are shown at the same place as in the game.</summary>
public sealed class MatchSceneTests
{
    // 3 columns, 2 rows. The right column is higher, and is not walkable.
    private static readonly ResponseGameInfo _info = new()
    {
        StartRaw = new StartRaw
        {
            MapSize = new Size2DI { X = 3, Y = 2 },
            TerrainHeight = Image(8, 191, 191, 223, 191, 191, 223),
            PathingGrid = Image(1, 0b1101_1000),
            PlacementGrid = Image(1, 0b1000_0000),
            PlayableArea = new RectangleI { P0 = new PointI(), P1 = new PointI { X = 3, Y = 1 } },
        },
    };

    private static readonly ResponseData _data = new()
    {
        Units = { new UnitTypeData { UnitId = 18, Name = "CommandCenter", Attributes = { Attribute.Structure } } },
    };

    [Fact]
    public void The_terrain_has_a_cell_for_each_of_the_map_from_its_lower_edge_up()
    {
        var grid = FoxgloveSchemas.Grid.Parser.ParseFrom(new MatchScene(_info, _data).MakeTerrain(1_500_000_000));
        Assert.Equal((3u, "map", 1L, 500_000_000), (grid.ColumnCount, grid.FrameId, grid.Timestamp.Seconds, grid.Timestamp.Nanos));
        Assert.Equal(2 * (int)grid.RowStride, grid.Data.Length);
        Assert.Equal(191 * 32 / 255d - 16, grid.Pose.Position.Z, 1e-6);
        Assert.Equal([1, 1, 0, 1, 1, 0], Values(grid, "pathing"));
        Assert.Equal([1, 0, 0, 0, 0, 0], Values(grid, "placement"));
        var elevations = Enumerable.Range(0, 6).Select(cell => BinaryPrimitives.ReadSingleLittleEndian(
            grid.Data.Span[((int)grid.CellStride * cell + OffsetOf(grid, "elevation"))..]));
        Assert.All(elevations.Zip([0f, 0, 4, 0, 0, 4]), pair => Assert.Equal(pair.Second, pair.First, 0.02f));

        // The second row is not playable.
        Assert.Equal([16, 16, 16], Values(grid, "red")[3..]);
    }

    [Fact]
    public void Units_are_entities_by_tag_in_their_owners_colour()
    {
        var observation = new ResponseObservation
        {
            Observation = new Observation
            {
                RawData = new ObservationRaw
                {
                    Units =
                    {
                        new Unit
                        {
                            Tag = ulong.MaxValue, UnitType = 18, Owner = 1, Radius = 2.75f, Health = 1500, HealthMax = 1500,
                            DisplayType = DisplayType.Visible, Pos = new Point { X = 1.5f, Y = 0.5f, Z = 8 },
                            Orders = { new UnitOrder { AbilityId = 524 } },
                        },
                        new Unit { Tag = 2, UnitType = 48, Owner = 2, Radius = 0.375f, DisplayType = DisplayType.Snapshot },
                        new Unit { Tag = 3, Owner = -7 },
                        new Unit { Tag = 4, DisplayType = DisplayType.Visible, Cloak = CloakState.CloakedAllied },
                        new Unit { Tag = 5, DisplayType = DisplayType.Visible, Cloak = CloakState.NotCloaked, IsBurrowed = true },
                    },
                },
            },
        };
        var scene = SceneUpdate.Parser.ParseFrom(
            new MatchScene(_info, _data).Derive(observation.ToByteArray(), 7).Units);
        Assert.Equal(SceneEntityDeletion.Types.Type.All, Assert.Single(scene.Deletions).Type);
        Assert.Equal(["18446744073709551615", "2", "3", "4", "5"], scene.Entities.Select(entity => entity.Id));
        var center = scene.Entities[0];
        var cube = Assert.Single(center.Cubes);
        Assert.Equal((1.5, 0.5, 5.5), (cube.Pose.Position.X, cube.Pose.Position.Y, cube.Size.X));
        Assert.Equal(8, cube.Pose.Position.Z - (cube.Size.Z / 2));
        Assert.Equal((0x4c / 255d, 1d), (cube.Color.R, cube.Color.A));
        var facts = center.Metadata.ToDictionary(fact => fact.Key, fact => fact.Value);
        Assert.Equal(("CommandCenter", "1500/1500", "524"), (facts["name"], facts["health"], facts["orders"]));
        Assert.Equal([0.5, 1, 0.5, 0.5], scene.Entities.Skip(1).Select(entity => Assert.Single(entity.Cylinders).Color.A));
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(5_000_000_000, 112)]
    [InlineData(ulong.MaxValue, uint.MaxValue)]
    public void A_time_is_that_of_a_loop(ulong timeNs, uint loop) => Assert.Equal(loop, GameTime.LoopAt(timeNs));

    [Fact]
    public void A_grid_is_made_once_until_its_image_changes()
    {
        var scene = new MatchScene(_info, null);
        ImageData? shown = null;
        var grid = FoxgloveSchemas.Grid.Parser.ParseFrom(
            scene.Derive(Seen(Image(1, 0b0010_0100)), 1).CreepIfChanged(ref shown));
        Assert.Equal([0, 0, 1, 0, 0, 1], Values(grid, "creep"));
        Assert.Null(scene.Derive(Seen(Image(1, 0b0010_0100)), 2).CreepIfChanged(ref shown));
        Assert.NotNull(scene.Derive(Seen(Image(1, 0b0010_0000)), 3).CreepIfChanged(ref shown));
    }

    [Fact]
    public void An_invalid_image_gives_no_grid()
    {
        foreach (var image in (ImageData[])
            [
                new(), Image(8, 1, 2), Image(32, 1, 2, 3), new() { BitsPerPixel = 8, Size = new() { X = -3, Y = -2 } },
                new() { BitsPerPixel = 1, Size = new() { X = int.MaxValue, Y = int.MaxValue }, Data = ByteString.CopyFrom(1) },
            ])
        {
            ImageData? shown = null;
            Assert.Null(new MatchScene(null, null).Derive(Seen(image), 1).CreepIfChanged(ref shown));
        }

        Assert.Null(new MatchScene(null, null).MakeTerrain(0));
        Assert.Null(new MatchScene(new ResponseGameInfo { StartRaw = new StartRaw() }, null).MakeTerrain(0));
    }

    [Fact]
    public void The_layout_shows_topics_and_fields_that_there_are()
    {
        var layout = JsonSerializer.Deserialize<JsonElement>(
            File.ReadAllText(Path.Combine(PeerEnvironment.RepositoryRoot, "docs", "foxglove-layout.json")));
        var derived = FoxgloveTopic.Derived([0, 1, 2]).ToDictionary(topic => topic.Name);
        foreach (var shown in layout.GetProperty("configById").GetProperty("3D!map").GetProperty("topics").EnumerateObject())
        {
            var kind = derived[shown.Name].Kind;
            if (kind is TopicKind.Creep or TopicKind.Visibility)
            {
                Assert.Equal($"{kind}".ToLowerInvariant(), shown.Value.GetProperty("colorField").GetString());
            }
        }
    }

    private static byte[] Seen(ImageData creep) => new ResponseObservation
    {
        Observation = new Observation { RawData = new ObservationRaw { MapState = new MapState { Creep = creep } } },
    }.ToByteArray();

    private static ImageData Image(int bits, params byte[] data) =>
        new() { BitsPerPixel = bits, Size = new Size2DI { X = 3, Y = 2 }, Data = ByteString.CopyFrom(data) };

    private static int OffsetOf(FoxgloveSchemas.Grid grid, string field) => (int)grid.Fields.Single(one => one.Name == field).Offset;

    private static int[] Values(FoxgloveSchemas.Grid grid, string field) =>
        [.. Enumerable.Range(0, grid.Data.Length / (int)grid.CellStride).Select(
            cell => (int)grid.Data[(cell * (int)grid.CellStride) + OffsetOf(grid, field)])];
}
