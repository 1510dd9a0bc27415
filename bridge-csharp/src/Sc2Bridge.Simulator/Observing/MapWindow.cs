using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// The part of the map that a client's coordinates and grids refer to: the whole map, or the playable area. Coordinates
/// count from the part's lower left corner (<c>raw_crop_to_playable_area</c>).
/// </summary>
internal sealed class MapWindow
{
    private readonly GameMap _map;

    /// <summary>Creates a window on a map.</summary>
    /// <param name="map">The map.</param>
    /// <param name="crop">Whether the window is the playable area.</param>
    public MapWindow(GameMap map, bool crop)
    {
        _map = map;
        var area = map.Playable;
        (X0, Y0) = crop ? (area.X0, area.Y0) : (0, 0);
        (Width, Height) = crop ? (area.X1 - area.X0, area.Y1 - area.Y0) : (map.Width, map.Height);
    }

    /// <summary>The window's left edge, in cells.</summary>
    public int X0 { get; }

    /// <summary>The window's lower edge, in cells.</summary>
    public int Y0 { get; }

    /// <summary>The width in cells.</summary>
    public int Width { get; }

    /// <summary>The height in cells.</summary>
    public int Height { get; }

    /// <summary>Whether the window is the whole map. Then grids need no copy.</summary>
    public bool IsWhole => Width == _map.Width && Height == _map.Height;

    /// <summary>Converts a world coordinate to the client's, in cells.</summary>
    public float X(int x) => (x / (float)Geometry.Cell) - X0;

    /// <summary>Converts a world coordinate to the client's, in cells.</summary>
    public float Y(int y) => (y / (float)Geometry.Cell) - Y0;

    /// <summary>Converts a client's point to the world's coordinates, limited to the map.</summary>
    public (int X, int Y) ToWorld(float x, float y) => _map.PlaceAt(x + X0, y + Y0);

    /// <summary>The window's part of a grid with one byte for each cell.</summary>
    public byte[] Cut(ReadOnlySpan<byte> cells)
    {
        var cut = new byte[Width * Height];
        for (var y = 0; y < Height; y++)
        {
            cells.Slice(((y + Y0) * _map.Width) + X0, Width).CopyTo(cut.AsSpan(y * Width));
        }

        return cut;
    }

    /// <summary>The window's part of a grid with one bit for each cell. The first cell is the highest bit; rows have no padding.</summary>
    public byte[] CutBits(ReadOnlySpan<byte> bits)
    {
        var cut = new byte[((Width * Height) + 7) / 8];
        for (var y = 0; y < Height; y++)
        {
            for (var x = 0; x < Width; x++)
            {
                var from = ((y + Y0) * _map.Width) + x + X0;
                var to = (y * Width) + x;
                cut[to >> 3] |= (byte)((bits[from >> 3] & (0x80 >> (from & 7))) != 0 ? 0x80 >> (to & 7) : 0);
            }
        }

        return cut;
    }
}
