using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// The position of an image's pixels on the map, in integers. Pixel (0, 0) is the upper left one, and all pixels are square.
/// </summary>
/// <remarks>
/// Source: s2client-api, tests/feature_layers_shared.cc, ConvertWorldToMinimap and ConvertWorldToCamera. In the real
/// message at hand, the minimap's visibility equals the raw visibility at the center of each pixel, without exception.
/// </remarks>
/// <param name="Columns">Pixels from left to right.</param>
/// <param name="Rows">Pixels from top to bottom.</param>
/// <param name="Left">The image's left edge, in 1/4096 of a cell.</param>
/// <param name="Top">The image's upper edge, in 1/4096 of a cell.</param>
/// <param name="Extent">The length of <paramref name="Pixels"/> pixels, in 1/4096 of a cell.</param>
/// <param name="Pixels">The number of pixels in <paramref name="Extent"/>.</param>
internal readonly record struct PixelGrid(int Columns, int Rows, long Left, long Top, long Extent, int Pixels)
{
    private const int MostPixels = 512;
    private const int MostCells = 512;
    private const float UsualWidth = 24; // SpatialCameraSetup's default, and PySC2's

    /// <summary>Why images of the requested sizes cannot be drawn, or null.</summary>
    public static string? Wrong(SpatialCameraSetup setup) =>
        IsSize(setup.Resolution) && IsSize(setup.MinimapResolution)
        && (!setup.HasWidth || setup.Width is >= 1 and <= MostCells)
            ? null
            : $"feature_layer needs resolution and minimap_resolution of 1 to {MostPixels} pixels a side, and a width of 1 "
            + $"to {MostCells} cells (the default is {UsualWidth}).";

    /// <summary>The screen's grid. Its shorter side is <see cref="SpatialCameraSetup.Width"/> cells long.</summary>
    /// <param name="setup">The client's request.</param>
    /// <param name="x">The camera's center.</param>
    /// <param name="y">The camera's center.</param>
    public static PixelGrid Screen(SpatialCameraSetup setup, int x, int y)
    {
        var (columns, rows) = (setup.Resolution.X, setup.Resolution.Y);
        var (extent, pixels) = ((long)((setup.HasWidth ? setup.Width : UsualWidth) * Geometry.Cell), Math.Min(columns, rows));
        return new(columns, rows, x - (extent * columns / pixels / 2), y + (extent * rows / pixels / 2), extent, pixels);
    }

    /// <summary>The minimap's grid, which covers the whole window from its upper left corner.</summary>
    public static PixelGrid Minimap(SpatialCameraSetup setup, MapWindow window)
    {
        var (columns, rows) = (setup.MinimapResolution.X, setup.MinimapResolution.Y);
        var wide = (long)window.Width * rows >= (long)window.Height * columns;
        return new(
            columns,
            rows,
            (long)window.X0 * Geometry.Cell,
            (long)(window.Y0 + window.Height) * Geometry.Cell,
            (long)(wide ? window.Width : window.Height) * Geometry.Cell,
            wide ? columns : rows);
    }

    /// <summary>The column of a coordinate. It may be outside the image.</summary>
    public int Column(long x) => (int)Floor((x - Left) * Pixels, Extent);

    /// <summary>The row of a coordinate. It may be outside the image.</summary>
    public int Row(long y) => (int)Floor((Top - y) * Pixels, Extent);

    /// <summary>The center of a column.</summary>
    public long X(int column) => Left + Floor(((2L * column) + 1) * Extent, 2 * Pixels);

    /// <summary>The center of a row.</summary>
    public long Y(int row) => Top - Floor(((2L * row) + 1) * Extent, 2 * Pixels);

    /// <summary>Whether a pixel is inside the image, or at most <paramref name="edge"/> pixels past its right or lower side.</summary>
    public bool Contains(PointI pixel, int edge) =>
        (uint)pixel.X < (uint)(Columns + edge) && (uint)pixel.Y < (uint)(Rows + edge);

    private static bool IsSize(Size2DI? size) => size is { X: >= 1 and <= MostPixels, Y: >= 1 and <= MostPixels };

    private static long Floor(long value, long by) => value >= 0 ? value / by : ~(~value / by);
}
