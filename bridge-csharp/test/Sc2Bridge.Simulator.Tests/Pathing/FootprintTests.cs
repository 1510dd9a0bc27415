using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Tests.Pathing;

public sealed class FootprintTests
{
    private static readonly GameMap _map = GameMap.Find(Game.Map)!;

    [Fact]
    public void It_covers_the_cells_around_its_middle()
    {
        Assert.Equal([(40, 50)], At(Footprint.One, 40.5, 50.5));
        Assert.Equal([(39, 49), (40, 49), (39, 50), (40, 50)], At(Footprint.Two, 40, 50));
        Assert.Equal(9, At(Footprint.Three, 40.5, 50.5).Length);
        Assert.Equal((39, 49), At(Footprint.Three, 40.5, 50.5)[0]);
        Assert.Equal([(39, 50), (40, 50)], At(Footprint.Mineral, 40, 50.5));
        Assert.Equal(16, At(Footprint.Rocks4, 40, 50).Length);
        Assert.Equal(32, At(Footprint.Rocks6, 40, 50).Length);
    }

    [Fact]
    public void A_town_hall_is_without_its_corners()
    {
        var cells = At(Footprint.TownHall, 40.5, 50.5);
        Assert.Equal(21, cells.Length);
        Assert.DoesNotContain((38, 48), cells);
        Assert.Contains((38, 49), cells);
        Assert.Contains((42, 51), cells);
    }

    [Fact]
    public void An_add_on_stands_next_to_its_building()
    {
        var barracks = At(Footprint.Three, 40.5, 50.5);
        var (x, y) = ((int)(40.5 * GameMap.Cell) + Footprint.AddOnX, (int)(50.5 * GameMap.Cell) + Footprint.AddOnY);
        var addOn = Footprint.Two.Cells(_map, x, y).Select(c => (c % _map.Width, c / _map.Width)).ToArray();
        Assert.Equal([(42, 49), (43, 49), (42, 50), (43, 50)], addOn);
        Assert.DoesNotContain(addOn, barracks.Contains);
    }

    [Fact]
    public void A_middle_between_cells_snaps_to_the_nearest()
    {
        Assert.Equal((Cells(40.5), Cells(50.5)), Footprint.Three.Snap(Cells(40.9), Cells(50.1)));
        Assert.Equal((Cells(41), Cells(50)), Footprint.Two.Snap(Cells(40.9), Cells(50.1)));
        Assert.Equal((Cells(41), Cells(50.5)), Footprint.Mineral.Snap(Cells(40.9), Cells(50.1)));
    }

    [Fact]
    public void Off_the_map_nothing_fits_and_nothing_is_written()
    {
        var free = Enumerable.Repeat(true, _map.Pathable.Length).ToArray();
        Assert.True(Footprint.Three.Fits(_map, Cells(1.5), Cells(1.5), free));
        Assert.False(Footprint.Three.Fits(_map, Cells(0.5), Cells(1.5), free));
        Assert.False(Footprint.Three.Fits(_map, Cells(_map.Width - 0.5), Cells(1.5), free));
        Footprint.Three.Mark(_map, Cells(-0.5), Cells(0.5), free, false);
        Assert.Equal(2, free.Count(f => !f));
        Footprint.TownHall.Mark(_map, Cells(-40.5), Cells(-40.5), free, false);
        Assert.Equal(2, free.Count(f => !f));
    }

    private static int Cells(double place) => (int)(place * GameMap.Cell);

    private static (int X, int Y)[] At(Footprint footprint, double x, double y) =>
        [.. footprint.Cells(_map, Cells(x), Cells(y)).Select(c => (c % _map.Width, c / _map.Width))];
}
