using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// Where the pixels of an image lie on the map, in whole numbers. Pixel (0, 0) is the upper left one, and all are square.
/// </summary>
/// <remarks>
/// Source: s2client-api, tests/feature_layers_shared.cc, ConvertWorldToMinimap and ConvertWorldToCamera; the minimap's
/// visibility of the real message at hand is the raw one at the pixels' middles, without a difference.
/// </remarks>
/// <param name="Columns">Pixels from left to right.</param>
/// <param name="Rows">Pixels from top to bottom.</param>
/// <param name="Left">The image's left edge, in 1/4096 of a cell.</param>
/// <param name="Top">Its upper edge.</param>
/// <param name="Extent">What <paramref name="Pixels"/> pixels cover, in 1/4096 of a cell.</param>
/// <param name="Pixels">How many.</param>
internal readonly record struct PixelGrid(int Columns, int Rows, long Left, long Top, long Extent, int Pixels)
{
    private const int MostPixels = 512;
    private const int MostCells = 512;
    private const float UsualWidth = 24; // SpatialCameraSetup's default, and PySC2's

    /// <summary>Why images cannot be drawn as they were asked for, or null.</summary>
    public static string? Wrong(SpatialCameraSetup setup) =>
        IsSize(setup.Resolution) && IsSize(setup.MinimapResolution)
        && (!setup.HasWidth || setup.Width is >= 1 and <= MostCells)
            ? null
            : $"feature_layer needs resolution and minimap_resolution of 1 to {MostPixels} pixels a side, and a width of 1 "
            + $"to {MostCells} cells (or none: {UsualWidth}).";

    /// <summary>The image of a camera: its shorter side sees <see cref="SpatialCameraSetup.Width"/> cells.</summary>
    /// <param name="setup">As the client asked.</param>
    /// <param name="x">The camera's middle.</param>
    /// <param name="y">The camera's middle.</param>
    public static PixelGrid Screen(SpatialCameraSetup setup, int x, int y)
    {
        var (columns, rows) = (setup.Resolution.X, setup.Resolution.Y);
        var (extent, pixels) = ((long)((setup.HasWidth ? setup.Width : UsualWidth) * Geometry.Cell), Math.Min(columns, rows));
        return new(columns, rows, x - (extent * columns / pixels / 2), y + (extent * rows / pixels / 2), extent, pixels);
    }

    /// <summary>The image of a map, or of its playable area: all of it, from the upper left corner.</summary>
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

    /// <summary>The column of a place; it may be outside.</summary>
    public int Column(long x) => (int)Floor((x - Left) * Pixels, Extent);

    /// <summary>The row of a place; it may be outside.</summary>
    public int Row(long y) => (int)Floor((Top - y) * Pixels, Extent);

    /// <summary>The middle of a column.</summary>
    public long X(int column) => Left + Floor(((2L * column) + 1) * Extent, 2 * Pixels);

    /// <summary>The middle of a row.</summary>
    public long Y(int row) => Top - Floor(((2L * row) + 1) * Extent, 2 * Pixels);

    /// <summary>Whether the image has a pixel, or would have it with a wider edge at its right and its lower side.</summary>
    public bool Contains(PointI pixel, int edge) =>
        (uint)pixel.X < (uint)(Columns + edge) && (uint)pixel.Y < (uint)(Rows + edge);

    private static bool IsSize(Size2DI? size) => size is { X: >= 1 and <= MostPixels, Y: >= 1 and <= MostPixels };

    private static long Floor(long value, long by) => value >= 0 ? value / by : ~(~value / by);
}
