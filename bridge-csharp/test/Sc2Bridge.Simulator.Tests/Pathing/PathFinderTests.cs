using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.Tests.World;

namespace Sc2Bridge.Simulator.Tests.Pathing;

public sealed class PathFinderTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Each_leg_of_a_way_is_clear_and_it_is_not_much_longer_than_the_shortest(int index)
    {
        var map = GameMap.All[index];
        var arena = new Arena(1, map: map);
        var ground = arena.World.Ground;
        var random = new WorldRandom((ulong)index + 7);
        for (var i = 0; i < 200; i++)
        {
            var (from, to) = (Cell(c => ground.Walkable(c)), Cell(_ => true));
            var (x, y) = map.Middle(from);
            var (goalX, goalY) = map.Middle(to);
            var way = ground.Ways.Find(x, y, goalX, goalY, 0, 0);
            Assert.Equal(ground.PartOf(from) == ground.PartOf(to), way.Arrives);
            var length = 0;
            while (way.Count > 0)
            {
                Assert.True(ground.Clear(x, y, way.Next.X, way.Next.Y));
                length += Geometry.Length(way.Next.X - x, way.Next.Y - y);
                (x, y) = way.Next;
                way.Pass();
            }

            if (way.Arrives)
            {
                Assert.Equal((goalX, goalY), (x, y));
                var shortest = map.Distances.To(to)[from] * (Geometry.Cell / DistanceFields.Straight);
                Assert.InRange(length, 0, Math.Max(Arena.Cells(16), shortest * 9 / 8));
            }
        }

        int Cell(Func<int, bool> fits)
        {
            while (true)
            {
                var cell = random.Next(map.Pathable.Length);
                if (fits(cell))
                {
                    return cell;
                }
            }
        }
    }

    [Fact]
    public void The_distance_of_two_places_is_the_length_of_the_shortest_path()
    {
        var map = GameMap.Find(Game.Map)!;
        var ways = new Arena(1, map: map).World.Ground.Ways;
        int[] open = [.. Enumerable.Range(0, map.Open.Length).Where(c => map.Open[c])];
        var places = from cell in Gen.Elements(open)
                     from dx in Gen.Choose(0, Geometry.Cell - 1)
                     from dy in Gen.Choose(0, Geometry.Cell - 1)
                     select (X: (cell % map.Width * Geometry.Cell) + dx, Y: (cell / map.Width * Geometry.Cell) + dy);
        Prop.ForAll(places.Two().ToArbitrary(), pair =>
        {
            // Some paths go around town halls, which the map's precomputed distances ignore.
            var (from, to) = pair;
            var far = ways.Distance(from.X, from.Y, to.X, to.Y);
            var steps = map.GroundDistance(from.X, from.Y, to.X, to.Y);
            Assert.True(far == -1 || far >= Geometry.Length(to.X - from.X, to.Y - from.Y) - 64);
            Assert.True(far <= steps + (8 * Geometry.Cell), $"{from} {to}: {far} > {steps}");
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(300)));
    }

    [Fact]
    public void There_is_no_way_over_a_closed_ramp_onto_a_cliff_or_off_the_map()
    {
        var map = GameMap.Find(Game.Map)!;
        var arena = new Arena(1, map: map);
        var ways = arena.World.Ground.Ways;
        var hall = arena.World.Units.First(u => u.Owner == 1);
        var (x, y) = (hall.X, hall.Y - (4 * Geometry.Cell));
        var other = arena.World.Units.First(u => u.Owner == 2);
        var (toX, toY) = (other.X, other.Y + (4 * Geometry.Cell));
        var (cliffX, cliffY) = map.Middle((map.Playable.Y0 * map.Width) + map.Playable.X0);
        Assert.True(ways.Distance(x, y, toX, toY) > Geometry.Length(toX - x, toY - y));
        Assert.Equal(0, ways.Distance(x, y, x, y));
        Assert.Equal(-1, ways.Distance(x, y, other.X, other.Y));
        Assert.Equal(-1, ways.Distance(x, y, cliffX, cliffY));
        Assert.Equal(-1, ways.Distance(x, y, -1, y));
        Assert.Equal(-1, ways.Distance(x, y, x, map.Height * Geometry.Cell));
        foreach (var ramp in map.Ramps.Where(r => r.Cells.Any(Near)))
        {
            foreach (var cell in ramp.Cells)
            {
                var (middleX, middleY) = map.Middle(cell);
                arena.World.Add(TechTree.Unit(19), 1, middleX, middleY);
            }
        }

        Assert.Equal(-1, ways.Distance(x, y, toX, toY));

        bool Near(int cell) =>
            Geometry.Length(map.Middle(cell).X - hall.X, map.Middle(cell).Y - hall.Y) < Arena.Cells(26);
    }

    [Fact]
    public void Without_a_path_it_ends_about_as_near_as_any_reachable_place()
    {
        var arena = new Arena();
        var ground = arena.World.Ground;
        var (x, y) = (Arena.Cells(20.5), Arena.Cells(50.5));
        var way = ground.Ways.Find(x, y, Arena.Cells(2), Arena.Cells(50), 0, 0);
        Assert.False(way.Arrives);
        while (way.Count > 0)
        {
            (x, y) = way.Next;
            way.Pass();
        }

        Assert.True(ground.WalkableAt(x, y));
        Assert.InRange(x, Arena.Cells(6), Arena.Cells(7.5));
    }

    [Fact]
    public void Buildings_give_all_of_their_ground_back()
    {
        var arena = new Arena();
        var (map, ground) = (arena.World.Map, arena.World.Ground);
        bool[] before = [.. Enumerable.Range(0, map.Pathable.Length).Select(ground.Walkable)];
        var random = new WorldRandom(5);
        int[] types = [19, 21, 18, 86, 60, 62, 59, 341, 342, 639, 47, 137];
        var standing = new List<Simulator.World.Unit>();
        for (var i = 0; i < 300; i++)
        {
            // Sometimes one unit on another, as debug commands can create them.
            var type = TechTree.Unit(types[random.Next(types.Length)]);
            var (x, y) = (random.Next(map.Width * Arena.Cell), random.Next(map.Height * Arena.Cell));
            standing.Add(arena.World.Add(type, 1, x, y));
        }

        Assert.NotEqual(before, Enumerable.Range(0, map.Pathable.Length).Select(ground.Walkable));
        standing.ForEach(unit => arena.World.Remove(unit, died: false));
        Assert.Equal(before, Enumerable.Range(0, map.Pathable.Length).Select(ground.Walkable));
    }
}
