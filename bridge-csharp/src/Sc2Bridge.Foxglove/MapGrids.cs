using System.Buffers.Binary;
using FoxgloveSchemas;
using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using SC2APIProtocol;
using NumericType = FoxgloveSchemas.PackedElementField.Types.NumericType;

namespace Sc2Bridge.Foxglove;

/// <summary>
/// Turns the images of a map into grids with one cell for each pixel. The first row of images and grids is the lower edge of the
/// map. The lower left corner of a cell is the point (column, row) in the coordinates of <c>unit.pos</c>. So units match the grids.
/// </summary>
/// <remarks>
/// Each cell has its <c>elevation</c> above the grid's plane. The plane lies at the most common height of the ground that units
/// can walk on. A viewer that does not show elevation therefore shows most units close to the ground.
/// </remarks>
internal sealed class MapGrids
{
    /// <summary>The coordinate frame of all messages: the game's coordinates.</summary>
    public const string FrameId = "map";

    // Heights above the terrain grid, so that no grid hides another.
    private const double CreepOffset = 0.05;
    private const double VisibilityOffset = 0.1;

    private static readonly (string Name, NumericType Type)[] _terrainFields =
    [
        ("red", NumericType.Uint8), ("green", NumericType.Uint8), ("blue", NumericType.Uint8), ("alpha", NumericType.Uint8),
        ("elevation", NumericType.Float32), ("pathing", NumericType.Uint8), ("placement", NumericType.Uint8),
    ];

    private readonly StartRaw? _start;
    private readonly byte[] _heights;
    private readonly double _groundHeight;

    /// <param name="info">The data of the map; null if unknown. Without the data, all grids lie at height 0.</param>
    public MapGrids(ResponseGameInfo? info)
    {
        _start = info?.StartRaw;
        _heights = CellsOf(_start?.TerrainHeight) ?? [];
        var paths = CellsOf(_start?.PathingGrid) ?? [];
        var walkableHeights = _heights.Where((_, cell) => cell < paths.Length && paths[cell] != 0);
        _groundHeight = _heights.Length == 0 ? 0
            : HeightOf(walkableHeights.DefaultIfEmpty(_heights[0]).CountBy(height => height).MaxBy(height => height.Value).Key);
    }

    /// <summary>Makes the grid of the terrain at the match's start, in the colours of the live page; null if the map is unknown.</summary>
    public Grid? Terrain(Timestamp time)
    {
        if (_start is null || _heights.Length == 0)
        {
            return null;
        }

        var size = _start.TerrainHeight.Size;
        var (paths, placements) = (CellsOf(_start.PathingGrid) ?? [], CellsOf(_start.PlacementGrid) ?? []);
        var grid = CreateGrid(size, 0, time, _terrainFields, out var stride);
        var data = new byte[_heights.Length * stride];
        for (var cell = 0; cell < _heights.Length; cell++)
        {
            var (pathing, placement) = (ValueAt(paths, cell), ValueAt(placements, cell));
            var target = data.AsSpan(cell * stride, stride);
            WriteColor(cell % size.X, cell / size.X, _heights[cell], pathing, placement, target);
            target[3] = byte.MaxValue;
            BinaryPrimitives.WriteSingleLittleEndian(target[4..], ElevationOf(cell));
            (target[8], target[9]) = (pathing, placement);
        }

        grid.Data = UnsafeByteOperations.UnsafeWrap(data);
        return grid;
    }

    /// <summary>Makes the grid of the creep: 1 in a cell with creep. Null if the image is missing or malformed.</summary>
    public Grid? Creep(ImageData? image, Timestamp time) => MakeLayer("creep", CreepOffset, image, time);

    /// <summary>Makes the grid of the visibility: 0 hidden, 1 fogged, 2 visible, 3 fully hidden. Null if the image is missing or malformed.</summary>
    public Grid? Visibility(ImageData? image, Timestamp time) => MakeLayer("visibility", VisibilityOffset, image, time);

    /// <summary>Reads one value for each pixel of an image with 1 or 8 bits per pixel. Null for other images and for incomplete images.</summary>
    internal static byte[]? CellsOf(ImageData? image)
    {
        var cells = (long)(image?.Size?.X ?? 0) * (image?.Size?.Y ?? 0);
        if (image is null || image.BitsPerPixel is not (1 or 8) || image.Size.X <= 0 || image.Size.Y <= 0
            || image.Data.Length * 8L < cells * image.BitsPerPixel)
        {
            return null;
        }

        var data = image.Data.Span;
        if (image.BitsPerPixel == 8)
        {
            return data[..(int)cells].ToArray();
        }

        var values = new byte[cells];
        for (var cell = 0; cell < values.Length; cell++)
        {
            values[cell] = (byte)((data[cell >> 3] >> (7 - (cell & 7))) & 1);
        }

        return values;
    }

    private Grid? MakeLayer(string name, double offset, ImageData? image, Timestamp time)
    {
        if (CellsOf(image) is not { } values)
        {
            return null;
        }

        var grid = CreateGrid(image!.Size, offset, time, [(name, NumericType.Uint8), ("elevation", NumericType.Float32)], out var stride);
        var data = new byte[values.Length * stride];
        var hasTerrainSize = values.Length == _heights.Length && _start!.TerrainHeight.Size.Equals(image.Size);
        for (var cell = 0; cell < values.Length; cell++)
        {
            var target = data.AsSpan(cell * stride, stride);
            target[0] = values[cell];
            BinaryPrimitives.WriteSingleLittleEndian(target[1..], hasTerrainSize ? ElevationOf(cell) : 0);
        }

        grid.Data = UnsafeByteOperations.UnsafeWrap(data);
        return grid;
    }

    private Grid CreateGrid(Size2DI size, double offset, Timestamp time, (string Name, NumericType Type)[] fields, out int stride)
    {
        var grid = new Grid
        {
            Timestamp = time,
            FrameId = FrameId,
            Pose = new Pose { Position = new Vector3 { Z = _groundHeight + offset }, Orientation = new Quaternion { W = 1 } },
            ColumnCount = (uint)size.X,
            CellSize = new Vector2 { X = 1, Y = 1 },
        };
        stride = 0;
        foreach (var (name, type) in fields)
        {
            grid.Fields.Add(new PackedElementField { Name = name, Offset = (uint)stride, Type = type });
            stride += type == NumericType.Float32 ? sizeof(float) : 1;
        }

        (grid.CellStride, grid.RowStride) = ((uint)stride, (uint)(stride * size.X));
        return grid;
    }

    // The same colours as in agent-js/page/src/map/terrain.ts: higher cells are lighter, cells that cannot be walked on are darker.
    private void WriteColor(int x, int y, byte height, byte pathing, byte placement, Span<byte> rgb)
    {
        var level = Math.Clamp((height - 96) / 128d, 0, 1);
        var (red, green, blue) = _start!.PlayableArea is { P0: { } low, P1: { } high }
            && (x < low.X || y < low.Y || x >= high.X || y >= high.Y) ? (16d, 19, 22)
            : pathing != 0 ? Tinted(46 + (54 * level) + (placement != 0 ? 0 : 12), 0.96, 1.04)
            : Tinted(24 + (18 * level), 0.95, 1.08);
        (rgb[0], rgb[1], rgb[2]) = ((byte)red, (byte)green, (byte)blue);

        static (double, double, double) Tinted(double light, double red, double blue) => (light * red, light, light * blue);
    }

    private float ElevationOf(int cell) => (float)(HeightOf(_heights[cell]) - _groundHeight);

    // The result has the unit of unit.pos.z.
    private static double HeightOf(byte height) => (height * 32 / 255d) - 16;

    private static byte ValueAt(byte[] cells, int cell) => cell < cells.Length ? cells[cell] : (byte)0;
}
