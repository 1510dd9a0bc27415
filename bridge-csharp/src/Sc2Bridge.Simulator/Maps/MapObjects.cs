namespace Sc2Bridge.Simulator.Maps;

/// <summary>Puts a sketch's bases and other neutral units on the map.</summary>
/// <remarks>
/// The positions of fields relative to their town hall are the three most frequent arrangements on the game's maps (python-sc2's
/// test data), turned to each side. A mineral field is always horizontal. In each arrangement, four fields hold 1800 and four 900.
/// </remarks>
internal sealed class MapObjects
{
    private const int Large = 1800;
    private const int Small = 900;
    private const int Vespene = 2250;

    // Positions in halves of a cell, relative to the town hall's center. The first four mineral fields are the large ones.
    private static readonly (int X, int Y)[] _cornerMinerals =
        [(-13, 0), (-13, 4), (-5, 12), (1, 12), (-15, 2), (-13, 8), (-11, 10), (-1, 14)];

    private static readonly (int X, int Y)[] _cornerGeysers = [(-14, -6), (8, 14)];

    private static readonly (int X, int Y)[] _leftMinerals =
        [(-13, -4), (-13, 4), (-11, -10), (-11, 10), (-15, -2), (-15, 2), (-13, -8), (-13, 8)];

    private static readonly (int X, int Y)[] _leftGeysers = [(-4, -14), (-4, 14)];

    private static readonly (int X, int Y)[] _aboveMinerals =
        [(-5, 12), (5, 12), (-13, 8), (13, 8), (-3, 14), (3, 14), (-11, 10), (11, 10)];

    private static readonly (int X, int Y)[] _aboveGeysers = [(-14, 2), (14, 2)];

    private readonly MapSketch _sketch;

    /// <summary>Places all objects of a sketch.</summary>
    public MapObjects(MapSketch sketch)
    {
        _sketch = sketch;
        Starts = [.. Enumerable.Range(0, sketch.Images)];
        Bases = [.. sketch.Bases.SelectMany(place => Starts.Select(image => Furnish(place, image)))];
        Neutrals =
        [
            .. Bases.SelectMany(b => b.Minerals.Concat(b.Geysers)),
            .. sketch.Extras.SelectMany(e => Starts.Select(i => Extra(e, i))).Distinct(),
        ];
    }

    /// <summary>All bases. The images of a base in the sketch are consecutive.</summary>
    public MapBase[] Bases { get; }

    /// <summary>The indexes of the first base's images.</summary>
    public int[] Starts { get; }

    /// <summary>All neutral objects, resources first.</summary>
    public Neutral[] Neutrals { get; }

    private static (int X, int Y)[] Turn((int X, int Y)[] places, int flipX, int flipY) =>
        [.. places.Select(p => (p.X * flipX, p.Y * flipY))];

    private static ((int X, int Y)[] Minerals, (int X, int Y)[] Geysers) Arrangement(BaseSketch place)
    {
        var (minerals, geysers) = place.Up == 0 ? (_leftMinerals, _leftGeysers)
            : place.Right == 0 ? (_aboveMinerals, _aboveGeysers)
            : (_cornerMinerals, _cornerGeysers);
        var (flipX, flipY) = (place.Right == 1 ? -1 : 1, place.Up == -1 ? -1 : 1);
        return (Turn(minerals, flipX, flipY), Turn(geysers, flipX, flipY));
    }

    private MapBase Furnish(BaseSketch place, int image)
    {
        var (minerals, geysers) = Arrangement(place);
        var (hallX, hallY) = ((2 * place.X) + 1, (2 * place.Y) + 1);
        var (x, y) = Place(hallX, hallY, image);
        var types = _sketch.Resources;
        return new MapBase(
            x,
            y,
            [.. minerals.Select((m, i) => i < 4
                ? Resource(types.Mineral, m, Large, Footprint.Mineral)
                : Resource(types.SmallMineral, m, Small, Footprint.Mineral))],
            [.. geysers.Select(g => Resource(types.Geyser, g, Vespene, Footprint.Three))]);

        Neutral Resource(int type, (int X, int Y) from, int contents, Footprint footprint)
        {
            var (rx, ry) = Place(hallX + from.X, hallY + from.Y, image);
            return new Neutral(type, rx, ry, contents, footprint);
        }
    }

    private Neutral Extra(ExtraSketch extra, int image)
    {
        var (x, y) = Place(2 * extra.X, 2 * extra.Y, image);
        var footprint = Footprint.OfNeutral(extra.TypeId)
            ?? throw new InvalidOperationException($"{_sketch.Name}: no footprint of unit type {extra.TypeId}");
        return new Neutral(extra.TypeId, x, y, 0, footprint, Blocks: !Footprint.IsWalkedOver(extra.TypeId));
    }

    /// <summary>The image of a point in halves of a cell, converted to 1/4096 of a cell.</summary>
    private (int X, int Y) Place(int halfX, int halfY, int image)
    {
        var (x, y) = MapSketch.Image(halfX, halfY, 2 * _sketch.Width, 2 * _sketch.Height, image);
        return (x * GameMap.Cell / 2, y * GameMap.Cell / 2);
    }
}
