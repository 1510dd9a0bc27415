namespace Sc2Bridge.Simulator.Maps;

/// <summary>Creates the grids of a map from its sketch.</summary>
/// <remarks>
/// It draws the levels first, then the cliffs between them, then the ramps through the cliffs. Each part of a sketch is
/// written to all its images at once, so that the grids are exactly symmetric. The game reads a ramp's heights at the
/// lower left corner of each cell, so the upper and lower cells of its ramps depend on their direction.
/// Here, heights are read at the center of each cell.
/// </remarks>
/// <param name="sketch">The sketch to draw.</param>
internal sealed class Terrain(MapSketch sketch)
{
    private const byte ChasmHeight = 127;

    // Levels differ by 16, and a ramp falls by 2 from one diagonal row of cells to the next. So a ramp has nine rows: the
    // first is on the upper level and the last on the lower one.
    private const int LevelStep = 16;
    private const int RowStep = 2;
    private const int LastRow = LevelStep / RowStep;
    private const byte LowHeight = 191;

    private readonly sbyte[] _levels = new sbyte[sketch.Width * sketch.Height];
    private readonly bool[] _blocked = new bool[sketch.Width * sketch.Height];
    private readonly bool[] _smoke = new bool[sketch.Width * sketch.Height];
    private readonly bool[] _ramp = new bool[sketch.Width * sketch.Height];
    private readonly bool[] _pathable = new bool[sketch.Width * sketch.Height];
    private readonly byte[] _heights = new byte[sketch.Width * sketch.Height];

    /// <summary>Creates the map.</summary>
    /// <param name="scenario">The scenario on this map, or null for a usual match.</param>
    public GameMap Make(Scenario? scenario = null)
    {
        foreach (var shape in sketch.Shapes)
        {
            Draw(shape);
        }

        Raise();
        MapRamp[] ramps = [.. sketch.Ramps.SelectMany(Carve)];
        CloseTheRest();
        var placeable = new bool[_pathable.Length];
        for (var i = 0; i < placeable.Length; i++)
        {
            placeable[i] = _pathable[i] && !_ramp[i] && !_smoke[i];
        }

        return new GameMap(sketch, _pathable, placeable, _heights, ramps, scenario);
    }

    private void Draw(Shape shape)
    {
        for (var y = shape.Y0; y <= shape.Y1; y++)
        {
            for (var x = shape.X0; x <= shape.X1; x++)
            {
                if (!shape.Contains(x, y))
                {
                    continue;
                }

                foreach (var cell in Images(x, y))
                {
                    switch (shape.Surface)
                    {
                        case Surface.Blocked:
                            _blocked[cell] = true;
                            break;
                        case Surface.Smoke:
                            _smoke[cell] = true;
                            break;
                        default:
                            _levels[cell] = (sbyte)shape.Surface;
                            break;
                    }
                }
            }
        }
    }

    private IEnumerable<int> Images(int x, int y)
    {
        for (var i = 0; i < sketch.Images; i++)
        {
            var (ix, iy) = MapSketch.Image(x, y, sketch.Width - 1, sketch.Height - 1, i);
            if (sketch.Playable.Contains(ix, iy))
            {
                yield return (iy * sketch.Width) + ix;
            }
        }
    }

    private void Raise()
    {
        var area = sketch.Playable;
        for (var y = area.Y0; y < area.Y1; y++)
        {
            for (var x = area.X0; x < area.X1; x++)
            {
                var cell = (y * sketch.Width) + x;
                var level = _levels[cell];
                _heights[cell] = level < 0 ? ChasmHeight : HeightOf(level);
                _pathable[cell] = level >= 0 && !_blocked[cell] && !IsEdge(x, y) && !IsFoot(x, y);
            }
        }
    }

    private static byte HeightOf(int level) => (byte)(LowHeight + (LevelStep * level));

    private int LevelAt(int x, int y) => sketch.Playable.Contains(x, y) ? _levels[(y * sketch.Width) + x] : int.MaxValue;

    /// <summary>Whether a cell is on the edge of a plateau: a cell next to it is lower.</summary>
    private bool IsEdge(int x, int y)
    {
        var level = LevelAt(x, y);
        return LevelAt(x - 1, y) < level || LevelAt(x + 1, y) < level
            || LevelAt(x, y - 1) < level || LevelAt(x, y + 1) < level;
    }

    /// <summary>Whether a cell is in a notch below a diagonal cliff. Units could otherwise squeeze between two cells of the cliff.</summary>
    private bool IsFoot(int x, int y)
    {
        var level = LevelAt(x, y);
        return (Higher(x - 1, y) || Higher(x + 1, y)) && (Higher(x, y - 1) || Higher(x, y + 1));

        bool Higher(int ax, int ay) => sketch.Playable.Contains(ax, ay) && LevelAt(ax, ay) > level;
    }

    /// <summary>
    /// Cuts a ramp through a cliff, in the shape of the game's ramps. <c>row</c> counts diagonal rows of cells
    /// downwards from the last row of the plateau, and <c>column</c> counts across. Only an even sum of both is a cell. A
    /// ramp of size n has the columns 0 to 4n - 2, and one more at each side in row 1. That is 16 cells for size 1, and 18 more
    /// for each larger size.
    /// </summary>
    private IEnumerable<MapRamp> Carve(RampSketch ramp)
    {
        var (right, up) = (ramp.Right, ramp.Up);
        var (x0, y0, level) = TopOf(ramp);
        var last = (4 * ramp.Size) - 2;
        var cells = new List<(int X, int Y, int Row)>();
        for (var row = 0; row <= LastRow; row++)
        {
            for (var column = -2; column <= last + 2; column++)
            {
                if ((row + column) % 2 != 0)
                {
                    continue;
                }

                var x = x0 + (((right * row) - (up * column)) / 2);
                var y = y0 + (((up * row) + (right * column)) / 2);
                if (LevelAt(x, y) != (row < 2 ? level : level - 1) && (row is > 0 and < LastRow || IsOn(row, column)))
                {
                    throw new InvalidOperationException(
                        $"{sketch.Name}: the ramp at {ramp.X}, {ramp.Y} needs another level at {x}, {y}");
                }

                if (IsOn(row, column))
                {
                    cells.Add((x, y, row));
                }

                if (IsOn(row, column) || row is > 0 and < LastRow)
                {
                    Write(x, y, (byte)(HeightOf(level) - (RowStep * row)), IsOn(row, column));
                }
            }
        }

        bool IsOn(int row, int column) =>
            (column >= 0 && column <= last) || (row == 1 && (column == -1 || column == last + 1));

        for (var image = 0; image < sketch.Images; image++)
        {
            var all = cells.Select(c => (Cell: ImageOf(c.X, c.Y, image), c.Row)).ToArray();
            yield return new MapRamp(
                [.. all.Where(c => c.Row == 0).Select(c => c.Cell)],
                [.. all.Where(c => c.Row == LastRow).Select(c => c.Cell)],
                [.. all.Select(c => c.Cell)]);
        }
    }

    private int ImageOf(int x, int y, int image)
    {
        var (ix, iy) = MapSketch.Image(x, y, sketch.Width - 1, sketch.Height - 1, image);
        return (iy * sketch.Width) + ix;
    }

    private void Write(int x, int y, byte height, bool open)
    {
        foreach (var cell in Images(x, y))
        {
            _heights[cell] = height;
            _pathable[cell] = open;
            _ramp[cell] = open;
        }
    }

    /// <summary>Closes ground that cannot be reached from a start, such as a corner behind a cliff.</summary>
    private void CloseTheRest()
    {
        var reached = new bool[_pathable.Length];
        var waiting = new Stack<int>(Images(sketch.Bases[0].X, sketch.Bases[0].Y));
        while (waiting.TryPop(out var cell))
        {
            if (_pathable[cell] && !reached[cell])
            {
                // The playable area never touches the map's edge.
                reached[cell] = true;
                waiting.Push(cell - 1);
                waiting.Push(cell + 1);
                waiting.Push(cell - sketch.Width);
                waiting.Push(cell + sketch.Width);
            }
        }

        reached.CopyTo(_pathable, 0);
    }

    /// <summary>Follows the ramp's axis down to the cliff. The ramp begins in the last walkable row.</summary>
    private (int X, int Y, int Level) TopOf(RampSketch ramp)
    {
        var (x, y) = (ramp.X, ramp.Y);
        var level = LevelAt(x, y);
        for (var steps = 0; ; steps++)
        {
            // The cliff's edge is row 1: both of its neighbours below are lower.
            var lower = LevelAt(x + ramp.Right, y) < level && LevelAt(x, y + ramp.Up) < level;
            if (lower)
            {
                var (dx, dy) = steps % 2 == 0 ? (ramp.Right, 0) : (0, ramp.Up);
                return (x - dx + (ramp.Up * (ramp.Size - 1)), y - dy - (ramp.Right * (ramp.Size - 1)), level);
            }

            (x, y) = steps % 2 == 0 ? (x, y + ramp.Up) : (x + ramp.Right, y);
            if (!sketch.Playable.Contains(x, y))
            {
                throw new InvalidOperationException($"{sketch.Name}: no cliff below the ramp at {ramp.X}, {ramp.Y}");
            }
        }
    }
}
