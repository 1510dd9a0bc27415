namespace Sc2Bridge.Simulator.World;

/// <summary>Makes a map's terrain, resources and building places of its description.</summary>
internal sealed class MapTerrain
{
    private const int PlateauRadius = 13;
    private static readonly byte[] LevelHeights = [191, 207, 223]; // z 8, 10 and 12, the levels of the game's own maps.

    // The eight directions, counterclockwise from +x; a base's minerals lie on the arc around one of them.
    private static readonly (int X, int Y)[] Directions =
        [(100, 0), (71, 71), (0, 100), (-71, 71), (-100, 0), (-71, -71), (0, -100), (71, -71)];

    private readonly MapDescription _map;
    private readonly (int X, int Y, int Level, int Side)[] _bases;

    public MapTerrain(MapDescription map)
    {
        _map = map;
        var mirrored = map.Bases.Reverse()
            .Select(b => (map.Width - b.X, map.Height - b.Y, b.Level, (b.MineralSide + 4) % 8));
        _bases = [.. map.Bases, .. mirrored];
        var cells = map.Width * map.Height;
        Pathable = new bool[cells];
        Placeable = new bool[cells];
        Heights = new byte[cells];
        Raise();
        PlaceObstacles();
        Pathable.CopyTo(Placeable, 0);
        RampsAreNotPlaceable();
        Debris =
        [
            Place(map.Width / 2, (map.Height / 2) + 18),
            Place(map.Width - (map.Width / 2), (map.Height / 2) - 18),
        ];
        Bases = [.. _bases.Select(Furnish)];
    }

    public bool[] Pathable { get; }

    public bool[] Placeable { get; }

    public byte[] Heights { get; }

    public MapBase[] Bases { get; }

    public (int X, int Y)[] Debris { get; }

    private static (int X, int Y) Place(int x, int y) => (x * Geometry.Cell, y * Geometry.Cell);

    private void Raise()
    {
        for (var y = 0; y < _map.Height; y++)
        {
            for (var x = 0; x < _map.Width; x++)
            {
                var cell = (y * _map.Width) + x;
                var level = 0;
                var edge = false;
                foreach (var b in _bases)
                {
                    var squared = Squared(x - b.X, y - b.Y);
                    if (b.Level == 0 || squared > PlateauRadius * PlateauRadius)
                    {
                        continue;
                    }

                    // A cliff around the plateau, open as a ramp 8 cells wide that leads to the map's middle.
                    level = Math.Max(level, b.Level);
                    edge |= squared > (PlateauRadius - 2) * (PlateauRadius - 2) && !OnRamp(b, x, y);
                }

                Heights[cell] = LevelHeights[level];
                var border = MapDescription.Border;
                Pathable[cell] = !edge && x >= border && y >= border
                    && x < _map.Width - border && y < _map.Height - border;
            }
        }
    }

    private bool OnRamp((int X, int Y, int Level, int Side) b, int x, int y)
    {
        long cx = (_map.Width / 2) - b.X;
        long cy = (_map.Height / 2) - b.Y;
        long px = x - b.X;
        long py = y - b.Y;
        var along = (cx * px) + (cy * py);
        var across = Math.Abs((cx * py) - (cy * px));
        return along > 0 && across <= 4 * Geometry.Length((int)cx, (int)cy);
    }

    private void PlaceObstacles()
    {
        var random = new WorldRandom(_map.ObstacleSeed);
        for (var i = 0; i < 24; i++)
        {
            var x = MapDescription.Border + random.Next(_map.Width - (2 * MapDescription.Border));
            var y = MapDescription.Border + random.Next(_map.Height - (2 * MapDescription.Border));
            var radius = 2 + random.Next(3);
            if (_bases.Any(b => Squared(x - b.X, y - b.Y) < Square(PlateauRadius + radius + 3)))
            {
                continue;
            }

            Block(x, y, radius);
            Block(_map.Width - 1 - x, _map.Height - 1 - y, radius);
        }
    }

    private void Block(int cx, int cy, int radius)
    {
        for (var y = cy - radius; y <= cy + radius; y++)
        {
            for (var x = cx - radius; x <= cx + radius; x++)
            {
                if (Squared(x - cx, y - cy) <= Square(radius) && x >= 0 && y >= 0 && x < _map.Width && y < _map.Height)
                {
                    Pathable[(y * _map.Width) + x] = false;
                    Heights[(y * _map.Width) + x] = LevelHeights[2];
                }
            }
        }
    }

    private void RampsAreNotPlaceable()
    {
        for (var y = 0; y < _map.Height; y++)
        {
            for (var x = 0; x < _map.Width; x++)
            {
                foreach (var b in _bases)
                {
                    var squared = Squared(x - b.X, y - b.Y);
                    if (b.Level > 0 && squared <= Square(PlateauRadius) && squared > Square(PlateauRadius - 2))
                    {
                        Placeable[(y * _map.Width) + x] = false;
                    }
                }
            }
        }
    }

    private MapBase Furnish((int X, int Y, int Level, int Side) b)
    {
        const int Half = Geometry.Cell / 2;
        var (x, y) = ((b.X * Geometry.Cell) + Half, (b.Y * Geometry.Cell) + Half);
        if (b.X > _map.Width / 2)
        {
            (x, y) = ((b.X * Geometry.Cell) - Half, (b.Y * Geometry.Cell) - Half);
        }

        var minerals = new (int X, int Y)[8];
        for (var i = 0; i < minerals.Length; i++)
        {
            // Seven cells away near the middle of the arc, six at its ends: an arc of about 130 degrees.
            minerals[i] = OnArc(x, y, b.Side, (i * 2) - 7, i % 2 == 0 ? 7 : 6);
        }

        (int X, int Y)[] geysers = [OnArc(x, y, b.Side, -11, 7), OnArc(x, y, b.Side, 11, 7)];
        return new MapBase(x, y, minerals, geysers, Spots(x, y, [.. minerals, .. geysers]));
    }

    /// <summary>
    /// A place on the arc of resources, <paramref name="step"/> tenths of 45 degrees from its middle.
    /// </summary>
    private static (int X, int Y) OnArc(int x, int y, int side, int step, int radius)
    {
        var (from, part) = (side + (step < 0 ? -2 : 0) + (step / 10), step % 10);
        part = step < 0 ? part + 20 : part;
        from += part / 10;
        part %= 10;
        var a = Directions[((from % 8) + 8) % 8];
        var b = Directions[(((from + 1) % 8) + 8) % 8];
        var dx = ((a.X * (10 - part)) + (b.X * part)) * radius * Geometry.Cell / 1000;
        var dy = ((a.Y * (10 - part)) + (b.Y * part)) * radius * Geometry.Cell / 1000;

        // Resources stand on half cells, as in the game.
        const int Half = Geometry.Cell / 2;
        return ((x + dx) / Half * Half, (y + dy) / Half * Half);
    }

    private (int X, int Y)[] Spots(int x, int y, (int X, int Y)[] resources)
    {
        var spots = new List<(int X, int Y)>();
        for (var dy = -21; dy <= 21; dy += 3)
        {
            for (var dx = -20; dx <= 20; dx += 5)
            {
                var (sx, sy) = (x + (dx * Geometry.Cell), y + (dy * Geometry.Cell));
                var free = Squared(dx, dy) >= Square(5) && Fits(sx, sy) && InReach(x, y, sx, sy)
                    && resources.All(r => Geometry.Length(r.X - sx, r.Y - sy) > 4 * Geometry.Cell)
                    && _bases.All(b =>
                        Geometry.Length((b.X * Geometry.Cell) - sx, (b.Y * Geometry.Cell) - sy) > 4 * Geometry.Cell);
                if (free)
                {
                    spots.Add((sx, sy));
                }
            }
        }

        return [.. spots.OrderBy(s => Geometry.Length(s.X - x, s.Y - y)).ThenBy(s => s.X).ThenBy(s => s.Y)];
    }

    /// <summary>Whether a worker gets there from the town hall in a straight line.</summary>
    private bool InReach(int x, int y, int sx, int sy)
    {
        const int Parts = 64;
        for (var i = 0; i <= Parts; i++)
        {
            var cx = (x + ((sx - x) / Parts * i)) / Geometry.Cell;
            var cy = (y + ((sy - y) / Parts * i)) / Geometry.Cell;
            if (!Pathable[(cy * _map.Width) + cx])
            {
                return false;
            }
        }

        return true;
    }

    private bool Fits(int sx, int sy)
    {
        for (var dy = -1; dy <= 1; dy++)
        {
            for (var dx = -1; dx <= 3; dx++)
            {
                var (cx, cy) = ((sx / Geometry.Cell) + dx, (sy / Geometry.Cell) + dy);
                if (cx < 0 || cy < 0 || cx >= _map.Width || cy >= _map.Height || !Placeable[(cy * _map.Width) + cx])
                {
                    return false;
                }
            }
        }

        return true;
    }

    private static int Squared(int dx, int dy) => (dx * dx) + (dy * dy);

    private static int Square(int a) => a * a;
}
