using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Tests.Maps;

public sealed class PathFinderTests
{
    private static readonly GameMap _map = GameMap.All[0];
    private static readonly int[] _open = [.. Enumerable.Range(0, _map.Open.Length).Where(c => _map.Open[c])];

    [Fact]
    public void The_way_between_two_starts_is_longer_than_the_straight_line()
    {
        var (from, to) = (_map.Bases[0], _map.Bases[1]);
        var far = new PathFinder(_map).PathDistance(from.X, from.Y, to.X, to.Y);
        var straight = Math.Sqrt(Math.Pow(to.X - from.X, 2) + Math.Pow(to.Y - from.Y, 2));
        Assert.InRange(far, straight, 1.5 * straight);
        Assert.InRange(_map.GroundDistance(from.X, from.Y, to.X, to.Y), far, 1.1 * far);
    }

    [Fact]
    public void Any_two_open_places_have_a_way_over_open_cells()
    {
        var finder = new PathFinder(_map);
        var way = new List<(int X, int Y)>();
        var places = from cell in Gen.Elements(_open)
                     from dx in Gen.Choose(0, GameMap.Cell - 1)
                     from dy in Gen.Choose(0, GameMap.Cell - 1)
                     select (X: (cell % _map.Width * GameMap.Cell) + dx, Y: (cell / _map.Width * GameMap.Cell) + dy);
        Prop.ForAll(places.Two().ToArbitrary(), pair =>
        {
            var (from, to) = pair;
            Assert.True(finder.Route(from.X, from.Y, to.X, to.Y, way));
            Assert.Equal(to, way[^1]);
            var far = finder.PathDistance(from.X, from.Y, to.X, to.Y);
            var straight = Math.Sqrt(Math.Pow(to.X - from.X, 2) + Math.Pow(to.Y - from.Y, 2));
            Assert.True(far >= (int)straight - way.Count, $"{far} < {straight}");

            // At most the steps from cell to cell, and the way to their middles.
            Assert.True(far <= _map.GroundDistance(from.X, from.Y, to.X, to.Y) + (2 * GameMap.Cell));
            var at = from;
            foreach (var turn in way)
            {
                Assert.True(finder.IsClear(at.X, at.Y, turn.X, turn.Y));
                at = turn;
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(1000));
    }

    [Fact]
    public void What_stands_around_is_gone_around()
    {
        var finder = new PathFinder(_map);
        var start = _map.Bases[0];
        var ramp = _map.Ramps.Single(r => r.Top.Any(c => Near(c, start)));
        var natural = _map.Bases.Skip(_map.Starts.Length).MinBy(b => finder.PathDistance(start.X, start.Y, b.X, b.Y))!;
        var blocked = new bool[_map.Open.Length];
        var free = finder.PathDistance(start.X, start.Y, natural.X, natural.Y, blocked);
        Assert.True(free > 0);

        // A wall on the only ramp; then the goal itself.
        foreach (var cell in ramp.Cells)
        {
            blocked[cell] = true;
        }

        Assert.Equal(-1, finder.PathDistance(start.X, start.Y, natural.X, natural.Y, blocked));
        Array.Clear(blocked);
        Footprint.TownHall.Mark(_map, natural.X, natural.Y, blocked, true);
        Assert.Equal(-1, finder.PathDistance(start.X, start.Y, natural.X, natural.Y, blocked));
        var way = new List<(int X, int Y)>();
        Assert.True(finder.Route(start.X, start.Y, natural.X, natural.Y, way, blocked, within: 4 * GameMap.Cell));
        Assert.False(blocked[_map.CellAt(way[^1].X, way[^1].Y)]);
        var (dx, dy) = ((double)way[^1].X - natural.X, (double)way[^1].Y - natural.Y);
        Assert.InRange(Math.Sqrt((dx * dx) + (dy * dy)), 0, 4 * GameMap.Cell);
    }

    [Fact]
    public void There_is_no_way_onto_a_cliff_or_off_the_map()
    {
        var finder = new PathFinder(_map);
        var start = _map.Bases[0];
        var (x, y) = _map.Middle((_map.Playable.Y0 * _map.Width) + _map.Playable.X0);
        Assert.False(_map.Pathable[_map.CellAt(x, y)]);
        Assert.Equal(-1, finder.PathDistance(start.X, start.Y, x, y));
        Assert.Equal(-1, finder.PathDistance(start.X, start.Y, -1, y));
        Assert.Equal(-1, finder.PathDistance(start.X, start.Y, x, _map.Height * GameMap.Cell));
        Assert.Equal(0, finder.PathDistance(start.X, start.Y, start.X, start.Y));
    }

    [Fact]
    public void Each_resource_can_be_walked_to()
    {
        foreach (var map in GameMap.All)
        {
            foreach (var b in map.Bases)
            {
                var hall = map.CellAt(b.X, b.Y);
                foreach (var resource in b.Minerals.Concat(b.Geysers))
                {
                    var far = map.DistanceField(map.CellAt(resource.X, resource.Y))[hall];
                    Assert.InRange(far, 3 * DistanceFields.Straight, 8 * DistanceFields.Straight);
                }
            }
        }
    }

    [Fact]
    public void Fields_are_shared_and_made_again_alike()
    {
        var goal = _map.CellAt(_map.Bases[0].X, _map.Bases[0].Y);
        Assert.Same(_map.DistanceField(goal), _map.DistanceField(goal));
        Assert.Equal(_map.DistanceField(goal), new DistanceFields(_map).To(goal));
    }

    private static bool Near(int cell, MapBase b)
    {
        var (x, y) = _map.Middle(cell);
        return Math.Abs(x - b.X) < 20 * GameMap.Cell && Math.Abs(y - b.Y) < 20 * GameMap.Cell;
    }
}
