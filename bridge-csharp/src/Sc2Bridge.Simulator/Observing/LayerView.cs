using SC2APIProtocol;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>One image of a viewer. Each observation redraws the layers that can have changed.</summary>
/// <param name="layers">The layers to draw.</param>
/// <param name="size">The size in pixels.</param>
internal sealed class LayerView(FeatureLayer[] layers, Size2DI size)
{
    private readonly int[] _ofUnits = Of(layers, LayerSource.Units);
    private readonly int[] _counts = Of(layers, LayerSource.Count);
    private readonly int[] _covers = Of(layers, LayerSource.Cover);
    private readonly int[] _values = new int[layers.Length];
    private readonly int[] _columns = new int[size.X]; // the cell's column, -1 outside the map
    private readonly int[] _rows = new int[size.Y];
    private PixelGrid _grid;
    private (int Viewer, int Updates) _cells; // the viewer and the update that the cells' layers show

    /// <summary>The image.</summary>
    public LayerImage Image { get; } = new(layers, size.X, size.Y);

    /// <summary>Begins an observation: clears the layers that can have changed, and draws the ground.</summary>
    public void Begin(ViewPoint view, in PixelGrid grid)
    {
        var moved = grid != _grid;
        var looked = (view.Viewer, view.World.Vision.Updates) is var cells && cells != _cells;
        (_grid, _cells) = (grid, cells);
        for (var i = 0; moved && i < _columns.Length; i++)
        {
            _columns[i] = Inside(grid.X(i), view.World.Map.Width);
        }

        for (var i = 0; moved && i < _rows.Length; i++)
        {
            _rows[i] = Inside(grid.Y(i), view.World.Map.Height);
        }

        for (var i = 0; i < layers.Length; i++)
        {
            var anew = layers[i].Source switch
            {
                LayerSource.Heights or LayerSource.Terrain or LayerSource.Nothing => moved,
                LayerSource.Cells => moved || looked,
                _ => true,
            };
            if (anew)
            {
                Image.Data(i).Clear();
                if (layers[i].Ground is { } ground)
                {
                    Ground(view, i, ground);
                }
                else if (layers[i].Source == LayerSource.Heights)
                {
                    Heights(view.World.Map, i);
                }
            }
        }
    }

    /// <summary>Draws a disc that is not a unit.</summary>
    public void Mark(string layer, int x, int y, int radius, int value) =>
        Image.Disc([Image.IndexOf(layer)], [value], _grid, x, y, radius);

    /// <summary>Draws the part of the map that another image shows.</summary>
    public void Frame(string layer, in PixelGrid shown)
    {
        // In the real message, the camera's frame ends with the last pixel that it covers fully.
        var (width, height) = (shown.Extent * shown.Columns / shown.Pixels, shown.Extent * shown.Rows / shown.Pixels);
        for (var row = Math.Max(0, _grid.Row(shown.Top)); row < Math.Min(size.Y, _grid.Row(shown.Top - height)); row++)
        {
            Image.Fill(
                Image.IndexOf(layer), row, _grid.Column(shown.Left), _grid.Column(shown.Left + width), 1);
        }
    }

    /// <summary>Draws units, with flying units last.</summary>
    /// <param name="view">The viewer.</param>
    /// <param name="seen">All units that the viewer sees.</param>
    /// <param name="all">Whether to draw all units. If false, only the units that a minimap shows.</param>
    public void Draw(ViewPoint view, List<Sighting> seen, bool all)
    {
        for (var pass = 0; pass < 2; pass++)
        {
            foreach (ref readonly var sighting in System.Runtime.InteropServices.CollectionsMarshal.AsSpan(seen))
            {
                if (sighting.Above == (pass == 1) && (all || sighting.OnMinimap) && IsNear(sighting))
                {
                    Draw(view, sighting);
                }
            }
        }
    }

    private void Draw(ViewPoint view, in Sighting seen)
    {
        for (var i = 0; i < _ofUnits.Length; i++)
        {
            _values[i] = layers[_ofUnits[i]].Value!(view, seen);
        }

        Image.Disc(_ofUnits, _values, _grid, seen.X, seen.Y, seen.Radius);
        Image.Disc(_counts, [], _grid, seen.X, seen.Y, seen.Radius);
        foreach (var layer in _covers)
        {
            Image.Cover(layer, _grid, seen.X, seen.Y, seen.Radius);
        }
    }

    private bool IsNear(in Sighting seen)
    {
        var (x, y, radius) = (seen.X - _grid.Left, _grid.Top - seen.Y, seen.Radius + (_grid.Extent / _grid.Pixels));
        return x > -radius && y > -radius
            && (x - radius) * _grid.Pixels < _grid.Extent * _grid.Columns
            && (y - radius) * _grid.Pixels < _grid.Extent * _grid.Rows;
    }

    // Sets all pixels of a cell in a row at once.
    private void Ground(ViewPoint view, int layer, Func<ViewPoint, int, int> valueOf)
    {
        for (var row = 0; row < size.Y; row++)
        {
            for (var (from, to) = (0, 0); from < size.X; from = to)
            {
                for (to = from + 1; to < size.X && _columns[to] == _columns[from];)
                {
                    to++;
                }

                if ((_rows[row] | _columns[from]) >= 0
                    && valueOf(view, (_rows[row] * view.World.Map.Width) + _columns[from]) is var value and not 0)
                {
                    Image.Fill(layer, row, from, to, value);
                }
            }
        }
    }

    // Interpolates between the centers of four cells, because the real message's screen has slopes and no steps.
    private void Heights(GameMap map, int layer)
    {
        var data = Image.Data(layer);
        for (var row = 0; row < _rows.Length; row++)
        {
            for (var column = 0; column < _columns.Length; column++)
            {
                if ((_rows[row] | _columns[column]) >= 0)
                {
                    data[(row * _columns.Length) + column] = HeightAt(
                        map, (int)_grid.X(column) - (Geometry.Cell / 2), (int)_grid.Y(row) - (Geometry.Cell / 2));
                }
            }
        }
    }

    private static byte HeightAt(GameMap map, int x, int y)
    {
        const int Cell = Geometry.Cell;
        var (right, up) = (x & (Cell - 1), y & (Cell - 1));
        int At(int dx, int dy) => map.TerrainHeight[map.CellAt(x + dx, y + dy)];
        var lower = (long)(At(0, 0) * (Cell - right)) + (At(Cell, 0) * right);
        var upper = (long)(At(0, Cell) * (Cell - right)) + (At(Cell, Cell) * right);
        return (byte)((((lower * (Cell - up)) + (upper * up)) / Cell) / Cell);
    }

    private static int Inside(long at, int cells) =>
        at >= 0 && at < (long)cells * Geometry.Cell ? (int)(at / Geometry.Cell) : -1;

    private static int[] Of(FeatureLayer[] layers, LayerSource source) =>
        [.. Enumerable.Range(0, layers.Length).Where(i => layers[i].Source == source)];
}
