using Sc2Bridge.Simulator.Computers;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.Tests.Computers;

namespace Sc2Bridge.Simulator.Tests.Maps;

public sealed class MapTests
{
    public static TheoryData<string> Names => [.. GameMap.All.Select(m => m.Name)];

    [Fact]
    public void There_are_four_of_2_to_4_starts()
    {
        Assert.Contains(Game.Map, GameMap.All.Select(m => m.Name));
        Assert.True(GameMap.All.Count >= 4);
        Assert.All(GameMap.All, m => Assert.InRange(m.Starts.Length, 2, 4));
        Assert.Contains(GameMap.All, m => m.Starts.Length == 4);
        Assert.All(GameMap.All, m => Assert.InRange(m.Width, 88, 200));
        Assert.All(GameMap.All, m => Assert.InRange(m.Height, 88, 200));
        Assert.All(GameMap.All, m => Assert.Equal(0, m.Width * m.Height % 8));
    }

    [Theory]
    [InlineData("Cinder Fortress LE")]
    [InlineData("cinderfortressle")]
    [InlineData("Cinder Fortress")]
    [InlineData("Ladder/CinderFortressLE.SC2Map")]
    [InlineData(@"C:\Maps\CinderFortressLE.sc2map")]
    public void A_map_is_found_however_it_is_written(string name) =>
        Assert.Equal(Game.Map, GameMap.Find(name)!.Name);

    [Theory]
    [InlineData("")]
    [InlineData(".SC2Map")]
    [InlineData("Cinder")]
    public void No_other_name_finds_one(string name) => Assert.Null(GameMap.Find(name));

    /// <summary>
    /// python-sc2's queries_test_bot.py kills all units on Empty128, also its own, and continues. cpp-sc2's tests play on the other
    /// maps (71510f6, maps/Test), with the sizes of those files' MapInfo.
    /// </summary>
    [Theory]
    [InlineData("Melee/Empty128.SC2Map", 128, 128, Race.Terran, Race.Zerg)]
    [InlineData("Melee/Empty128.SC2Map", 128, 128, Race.Zerg, Race.Protoss)]
    [InlineData("Melee/Empty128.SC2Map", 128, 128, Race.Protoss, Race.Terran)]
    [InlineData("Test/Empty.SC2Map", 128, 128, Race.Terran, Race.Zerg)]
    [InlineData("Test/EmptyLong.SC2Map", 128, 64, Race.Terran, Race.Zerg)]
    [InlineData("Test/EmptyTall.SC2Map", 64, 128, Race.Terran, Race.Zerg)]
    public void On_an_empty_map_no_player_has_units_and_none_loses(
        string name, int width, int height, Race first, Race second)
    {
        var world = new GameWorld(
            GameMap.Find(name)!, [ComputerMatch.Player(first), ComputerMatch.Player(second)], 1);
        Assert.Equal((width, height), (world.Map.Width, world.Map.Height));
        Assert.DoesNotContain(world.Units, u => u.Owner != GameWorld.Neutral);
        var reach = Math.Min(width, height) / 4;
        var middle = Enumerable.Range(-reach, 2 * reach).Select(i => (((height / 2) + i) * width) + (width / 2) + i);
        Assert.All(middle, cell => Assert.True(world.Map.Placeable[cell]));
        var computers = Computer.Of(world);
        for (var i = 0; i < 300; i++)
        {
            Array.ForEach(computers, computer => computer.Think());
            world.Step();
        }

        Assert.False(world.Ended);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Half_a_turn_makes_the_same_map(string name)
    {
        var map = GameMap.Find(name)!;
        Assert.Equal(map.Pathable, map.Pathable.Reverse());
        Assert.Equal(map.Placeable, map.Placeable.Reverse());
        Assert.Equal(map.Open, map.Open.Reverse());
        Assert.Equal(map.TerrainHeight, map.TerrainHeight.Reverse());
        var (endX, endY) = (map.Width * GameMap.Cell, map.Height * GameMap.Cell);
        Assert.Equal(
            map.Neutrals.Select(n => (n.TypeId, n.X, n.Y, n.Contents)).Order(),
            map.Neutrals.Select(n => (n.TypeId, endX - n.X, endY - n.Y, n.Contents)).Order());
        var bases = map.Bases.Select(b => (b.X, b.Y));
        Assert.Equal(bases.Order(), bases.Select(b => (endX - b.X, endY - b.Y)).Order());
        var (first, second) = (map.Bases[map.Starts[0]], map.Bases[map.Starts[1]]);
        Assert.Equal((endX - first.X, endY - first.Y), (second.X, second.Y));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Every_place_can_be_walked_to_from_every_start(string name)
    {
        var map = GameMap.Find(name)!;
        foreach (var start in map.Starts.Select(s => map.Bases[s]))
        {
            var field = map.Distances.To(map.CellAt(start.X, start.Y));
            Assert.DoesNotContain(
                Enumerable.Range(0, field.Length), c => map.Open[c] && field[c] == DistanceFields.Unreached);
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Whatever_stands_on_it_stands_on_free_level_ground(string name)
    {
        var map = GameMap.Find(name)!;
        var taken = new HashSet<int>();
        var halls = map.Bases.Select(b => Footprint.TownHall.Cells(map, b.X, b.Y));
        foreach (var cells in map.Neutrals.Select(n => n.Footprint.Cells(map, n.X, n.Y)).Concat(halls))
        {
            Assert.All(cells, c => Assert.True(map.Placeable[c] && taken.Add(c), $"{c % map.Width}, {c / map.Width}"));
            Assert.Single(cells.Select(c => map.TerrainHeight[c]).Distinct());
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Bases_are_found_by_their_resources(string name)
    {
        var map = GameMap.Find(name)!;
        Assert.Equal(
            map.Bases.Select(b => (b.X / (double)GameMap.Cell, b.Y / (double)GameMap.Cell)).Order(),
            MapView.Of(map).Expansions().Order());
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Each_start_is_a_plateau_with_one_ramp(string name)
    {
        var map = GameMap.Find(name)!;
        foreach (var start in map.Starts.Select(s => map.Bases[s]))
        {
            // The area on the start's level has only one ramp as its exit.
            var level = map.TerrainHeight[map.CellAt(start.X, start.Y)];
            Assert.Equal(223, level);
            var reached = Flood(map, map.CellAt(start.X, start.Y), level);
            Assert.InRange(reached.Count(c => map.Placeable[c]), 600, 2000);
            var ramp = Assert.Single(map.Ramps, r => r.Top.Any(reached.Contains));
            Assert.Equal((16, 2, 2), (ramp.Cells.Length, ramp.Top.Length, ramp.Bottom.Length));
            Assert.DoesNotContain(reached, c => Neighbours(map, c).Any(n =>
                map.Pathable[n] && map.TerrainHeight[n] != level && !ramp.Cells.Contains(n)));
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Ramps_are_found_with_their_sizes(string name)
    {
        var map = GameMap.Find(name)!;
        var found = MapView.Of(map).Ramps();
        Assert.Equal(
            map.Ramps.Select(r => string.Join(',', r.Cells.Order())).Order(),
            found.Select(r => string.Join(',', r.Order())).Order());
        Assert.All(map.Ramps, r =>
        {
            var size = r.Top.Length / 2;
            Assert.Equal(((18 * size) - 2, 2 * size, 2 * size), (r.Cells.Length, r.Top.Length, r.Bottom.Length));
            Assert.All(r.Cells, c => Assert.True(map.Pathable[c] && !map.Placeable[c]));
            Assert.Equal(16, map.TerrainHeight[r.Top[0]] - map.TerrainHeight[r.Bottom[0]]);
        });
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void No_step_leads_over_a_cliff(string name)
    {
        // Along an axis, the height changes by one row of a ramp at most.
        var map = GameMap.Find(name)!;
        for (var cell = 0; cell < map.Pathable.Length; cell++)
        {
            if (map.Pathable[cell])
            {
                Assert.All(
                    Neighbours(map, cell).Where(n => map.Pathable[n]),
                    n => Assert.InRange(Math.Abs(map.TerrainHeight[n] - map.TerrainHeight[cell]), 0, 2));
            }
        }
    }

    [Fact]
    public void The_height_is_the_games_z()
    {
        var map = GameMap.Find(Game.Map)!;
        var start = map.Bases[0];
        Assert.Equal(11.98, (map.TerrainHeight[map.CellAt(start.X, start.Y)] * 32 / 255.0) - 16, 0.01);
    }

    private static HashSet<int> Flood(GameMap map, int from, byte level)
    {
        var reached = new HashSet<int> { from };
        var waiting = new Queue<int>([from]);
        while (waiting.TryDequeue(out var cell))
        {
            foreach (var next in Neighbours(map, cell))
            {
                if (map.Pathable[next] && map.TerrainHeight[next] == level && reached.Add(next))
                {
                    waiting.Enqueue(next);
                }
            }
        }

        return reached;
    }

    private static int[] Neighbours(GameMap map, int cell) => [cell - 1, cell + 1, cell - map.Width, cell + map.Width];
}
