using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Tests.Pathing;

public sealed class DistanceFieldsTests
{
    private static readonly GameMap _map = GameMap.Find(Game.Map)!;

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
                    var far = map.Distances.To(map.CellAt(resource.X, resource.Y))[hall];
                    Assert.InRange(far, 3 * DistanceFields.Straight, 8 * DistanceFields.Straight);
                }
            }
        }
    }

    [Fact]
    public void Fields_are_shared_and_made_again_alike()
    {
        var goal = _map.CellAt(_map.Bases[0].X, _map.Bases[0].Y);
        Assert.Same(_map.Distances.To(goal), _map.Distances.To(goal));
        Assert.Equal(_map.Distances.To(goal), new DistanceFields(_map, _map.Pathable, _map.Open, cell => [cell]).To(goal));
    }
}
