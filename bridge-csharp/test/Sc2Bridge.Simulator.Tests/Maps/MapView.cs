using Google.Protobuf;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Tests.Maps;

/// <summary>A map as a client sees it at loop 0. Our maps and real ones must follow the same rules.</summary>
internal sealed class MapView
{
    private static readonly HashSet<uint> _geyserTypes = [342, 343, 344, 608, 880, 881];

    public required string Name { get; init; }

    public required int Width { get; init; }

    public required CellArea Playable { get; init; }

    public required bool[] Pathable { get; init; }

    public required bool[] Placeable { get; init; }

    public required byte[] Heights { get; init; }

    /// <summary>The player's own town hall, in cells.</summary>
    public required (double X, double Y) Start { get; init; }

    public required (double X, double Y, bool Geyser, int Contents)[] Resources { get; init; }

    /// <summary>Our map as player 1 sees it: with the player's town hall and its resources.</summary>
    public static MapView Of(GameMap map)
    {
        var pathable = map.Pathable.ToArray();
        var start = map.Bases[map.Starts[0]];
        Footprint.TownHall.Mark(map, start.X, start.Y, pathable, false);
        foreach (var resource in start.Minerals.Concat(start.Geysers))
        {
            resource.Footprint.Mark(map, resource.X, resource.Y, pathable, false);
        }

        return new MapView
        {
            Name = map.Name,
            Width = map.Width,
            Playable = map.Playable,
            Pathable = pathable,
            Placeable = map.Placeable,
            Heights = map.TerrainHeight,
            Start = (InCells(start.X), InCells(start.Y)),
            Resources =
            [
                .. map.Bases.SelectMany(b => b.Minerals.Select(m => (InCells(m.X), InCells(m.Y), false, m.Contents))
                    .Concat(b.Geysers.Select(g => (InCells(g.X), InCells(g.Y), true, g.Contents)))),
            ],
        };
    }

    public static MapView Of(ResponseGameInfo info, Observation observation)
    {
        var start = info.StartRaw;
        var units = observation.RawData.Units;
        var hall = units.Single(u => u.Alliance == Alliance.Self && u.Radius > 2);
        return new MapView
        {
            Name = info.MapName,
            Width = start.MapSize.X,
            Playable = new CellArea(
                start.PlayableArea.P0.X, start.PlayableArea.P0.Y, start.PlayableArea.P1.X, start.PlayableArea.P1.Y),
            Pathable = Bits(start.PathingGrid.Data),
            Placeable = Bits(start.PlacementGrid.Data),
            Heights = start.TerrainHeight.Data.ToByteArray(),
            Start = (hall.Pos.X, hall.Pos.Y),
            Resources =
            [
                .. units.Where(u => u.Alliance == Alliance.Neutral && IsResource(u))
                    .Select(u => (
                        (double)u.Pos.X,
                        (double)u.Pos.Y,
                        _geyserTypes.Contains(u.UnitType),
                        u.MineralContents + u.VespeneContents)),
            ],
        };
    }

    /// <summary>Ramps as client libraries find them: connected cells that are pathable, not placeable and not level.</summary>
    public List<List<int>> Ramps()
    {
        var left = Enumerable.Range(0, Pathable.Length).Where(c => IsSlope(c)).ToHashSet();
        var ramps = new List<List<int>>();
        while (left.Count > 0)
        {
            var ramp = new List<int>();
            var waiting = new Queue<int>([left.First()]);
            left.Remove(waiting.Peek());
            while (waiting.TryDequeue(out var cell))
            {
                ramp.Add(cell);
                foreach (var next in Around(cell).Where(left.Remove))
                {
                    waiting.Enqueue(next);
                }
            }

            ramps.Add(ramp);
        }

        return [.. ramps.Where(r => r.Count >= 8)];
    }

    /// <summary>
    /// Places for town halls as client libraries find them: resources are grouped, and each group has the placeable middle that is
    /// nearest to all of them, at least 6 cells from minerals and 7 from geysers.
    /// </summary>
    public List<(double X, double Y)> Expansions()
    {
        var clusters = Resources.Select(r => new List<(double X, double Y, bool Geyser, int Contents)> { r }).ToList();
        while (Merge(clusters))
        {
        }

        return [.. clusters.Where(c => c.Count <= 12).Select(Place)];

        (double X, double Y) Place(List<(double X, double Y, bool Geyser, int Contents)> cluster)
        {
            var centerX = Math.Floor(cluster.Average(r => r.X)) + 0.5;
            var centerY = Math.Floor(cluster.Average(r => r.Y)) + 0.5;
            var places = from dx in Enumerable.Range(-7, 15)
                         from dy in Enumerable.Range(-7, 15)
                         where (dx * dx) + (dy * dy) is > 16 and <= 64
                         let x = centerX + dx
                         let y = centerY + dy
                         where Placeable[((int)y * Width) + (int)x]
                             && cluster.All(r => Math.Sqrt(Squared(x - r.X, y - r.Y)) >= (r.Geyser ? 7 : 6))
                         select (x, y);
            return places.MinBy(p => cluster.Sum(r => Math.Sqrt(Squared(p.x - r.X, p.y - r.Y))));
        }
    }

    /// <summary>A cell and the eight cells around it.</summary>
    public IEnumerable<int> Around(int cell) =>
        from dy in Enumerable.Range(-1, 3) from dx in Enumerable.Range(-1, 3) select cell + (dy * Width) + dx;

    private static bool IsResource(SC2APIProtocol.Unit unit) =>
        _geyserTypes.Contains(unit.UnitType) || unit.UnitType is 341 or 483 or 665 or 666 or 796 or 797 or 884 or 885;

    private static bool Merge(List<List<(double X, double Y, bool Geyser, int Contents)>> clusters)
    {
        for (var i = 0; i < clusters.Count; i++)
        {
            for (var j = i + 1; j < clusters.Count; j++)
            {
                var dx = clusters[i].Average(r => r.X) - clusters[j].Average(r => r.X);
                var dy = clusters[i].Average(r => r.Y) - clusters[j].Average(r => r.Y);
                if (Squared(dx, dy) <= 10.5 * 10.5)
                {
                    clusters[i].AddRange(clusters[j]);
                    clusters.RemoveAt(j);
                    return true;
                }
            }
        }

        return false;
    }

    private static double Squared(double dx, double dy) => (dx * dx) + (dy * dy);

    private static double InCells(int place) => place / (double)GameMap.Cell;

    private static bool[] Bits(ByteString data) =>
        [.. Enumerable.Range(0, data.Length * 8).Select(i => (data[i / 8] & (0x80 >> (i % 8))) != 0)];

    private bool IsSlope(int cell) => Pathable[cell] && !Placeable[cell]
        && Around(cell).Any(c => Heights[c] != Heights[cell]);
}
