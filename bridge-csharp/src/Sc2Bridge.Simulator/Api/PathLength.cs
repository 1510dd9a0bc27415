using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Api;

/// <summary>How far it is along the ground as it is at one moment: for the ways that one request asks for.</summary>
internal sealed class PathLength
{
    private readonly PathFinder _finder;
    private readonly bool[] _blocked;

    /// <summary>Takes the ground as it is.</summary>
    public PathLength(GameWorld world)
    {
        var map = world.Map;
        _finder = new PathFinder(map);
        _blocked = new bool[map.Width * map.Height];
        for (var cell = 0; cell < _blocked.Length; cell++)
        {
            _blocked[cell] = !world.Ground.Walkable(cell);
        }
    }

    /// <summary>In 1/4096 of a cell; -1 where there is no way.</summary>
    public int Between((int X, int Y) from, (int X, int Y) to) =>
        _finder.PathDistance(from.X, from.Y, to.X, to.Y, _blocked);
}
