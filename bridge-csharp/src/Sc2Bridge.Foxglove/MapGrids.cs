using System.Buffers.Binary;
using FoxgloveSchemas;
using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using SC2APIProtocol;
using NumericType = FoxgloveSchemas.PackedElementField.Types.NumericType;

namespace Sc2Bridge.Foxglove;

/// <summary>
/// The map's images as grids, a cell each. The first row of both is the map's lower edge, and a cell's lower left corner is
/// the point of its column and row in <c>unit.pos</c>: so units stand on them where they stand on the map.
/// </summary>
/// <remarks>
/// Each cell has its <c>elevation</c> above the grid's plane, which lies at the height that most of the ground has: a viewer
/// that shows no elevation shows units near that.
/// </remarks>
internal sealed class MapGrids
{
    /// <summary>What everything is placed in: the game's coordinates.</summary>
    public const string FrameId = "map";

    // Grids above each other, so that each is seen.
    private const double CreepAbove = 0.05;
    private const double VisibilityAbove = 0.1;

    private static readonly (string Name, NumericType Type)[] _terrainFields =
    [
        ("red", NumericType.Uint8), ("green", NumericType.Uint8), ("blue", NumericType.Uint8), ("alpha", NumericType.Uint8),
        ("elevation", NumericType.Float32), ("pathing", NumericType.Uint8), ("placement", NumericType.Uint8),
    ];

    private readonly StartRaw? _start;
    private readonly byte[] _heights;
    private readonly double _ground;

    /// <param name="info">Of the map; null where it is not known: then everything lies at the height 0.</param>
    public MapGrids(ResponseGameInfo? info)
    {
        _start = info?.StartRaw;
        _heights = CellsOf(_start?.TerrainHeight) ?? [];
        var paths = CellsOf(_start?.PathingGrid) ?? [];
        var walked = _heights.Where((_, cell) => cell < paths.Length && paths[cell] != 0);
        _ground = _heights.Length == 0 ? 0
            : HeightOf(walked.DefaultIfEmpty(_heights[0]).CountBy(height => height).MaxBy(height => height.Value).Key);
    }

    /// <summary>The ground at the match's start, in the live page's tones; null where it is not known.</summary>
    public Grid? Terrain(Timestamp time)
    {
        if (_start is null || _heights.Length == 0)
        {
            return null;
        }

        var size = _start.TerrainHeight.Size;
        var (paths, places) = (CellsOf(_start.PathingGrid) ?? [], CellsOf(_start.PlacementGrid) ?? []);
        var grid = Empty(size, 0, time, _terrainFields, out var stride);
        var data = new byte[_heights.Length * stride];
        for (var cell = 0; cell < _heights.Length; cell++)
        {
            var (isPath, isPlace) = (At(paths, cell), At(places, cell));
            var to = data.AsSpan(cell * stride, stride);
            Tone(cell % size.X, cell / size.X, _heights[cell], isPath, isPlace, to);
            to[3] = byte.MaxValue;
            BinaryPrimitives.WriteSingleLittleEndian(to[4..], ElevationOf(cell));
            (to[8], to[9]) = (isPath, isPlace);
        }

        grid.Data = UnsafeByteOperations.UnsafeWrap(data);
        return grid;
    }

    /// <summary>Where creep is: 1 there; null where the image is none.</summary>
    public Grid? Creep(ImageData? image, Timestamp time) => Layer("creep", CreepAbove, image, time);

    /// <summary>What is seen: 0 hidden, 1 fogged, 2 in sight, 3 never to be seen; null where the image is none.</summary>
    public Grid? Visibility(ImageData? image, Timestamp time) => Layer("visibility", VisibilityAbove, image, time);

    /// <summary>A value for each cell, of 1 bit or 8; null of another image, or one that is too short.</summary>
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

    private Grid? Layer(string name, double above, ImageData? image, Timestamp time)
    {
        if (CellsOf(image) is not { } values)
        {
            return null;
        }

        var grid = Empty(image!.Size, above, time, [(name, NumericType.Uint8), ("elevation", NumericType.Float32)], out var stride);
        var data = new byte[values.Length * stride];
        var isOfMap = values.Length == _heights.Length && _start!.TerrainHeight.Size.Equals(image.Size);
        for (var cell = 0; cell < values.Length; cell++)
        {
            var to = data.AsSpan(cell * stride, stride);
            to[0] = values[cell];
            BinaryPrimitives.WriteSingleLittleEndian(to[1..], isOfMap ? ElevationOf(cell) : 0);
        }

        grid.Data = UnsafeByteOperations.UnsafeWrap(data);
        return grid;
    }

    private Grid Empty(Size2DI size, double above, Timestamp time, (string Name, NumericType Type)[] fields, out int stride)
    {
        var grid = new Grid
        {
            Timestamp = time,
            FrameId = FrameId,
            Pose = new Pose { Position = new Vector3 { Z = _ground + above }, Orientation = new Quaternion { W = 1 } },
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

    // As agent-js/page/src/map/terrain.ts: what is higher is lighter, what cannot be walked on darker.
    private void Tone(int x, int y, byte height, byte isPath, byte isPlace, Span<byte> rgb)
    {
        var level = Math.Clamp((height - 96) / 128d, 0, 1);
        var (red, green, blue) = _start!.PlayableArea is { P0: { } low, P1: { } high }
            && (x < low.X || y < low.Y || x >= high.X || y >= high.Y) ? (16d, 19, 22)
            : isPath != 0 ? Tinted(46 + (54 * level) + (isPlace != 0 ? 0 : 12), 0.96, 1.04)
            : Tinted(24 + (18 * level), 0.95, 1.08);
        (rgb[0], rgb[1], rgb[2]) = ((byte)red, (byte)green, (byte)blue);

        static (double, double, double) Tinted(double light, double red, double blue) => (light * red, light, light * blue);
    }

    private float ElevationOf(int cell) => (float)(HeightOf(_heights[cell]) - _ground);

    // The unit of unit.pos.z.
    private static double HeightOf(byte height) => (height * 32 / 255d) - 16;

    private static byte At(byte[] cells, int cell) => cell < cells.Length ? cells[cell] : (byte)0;
}
