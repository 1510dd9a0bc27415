using SC2APIProtocol;

namespace Sc2Bridge.Native;

/// <summary>The cells of a map on which units can stand, from GameInfo.start_raw.pathing_grid.</summary>
internal sealed class PathingGrid(ImageData image)
{
    private readonly byte[] _bits = image.Data.ToByteArray();

    public int Width { get; } = image.Size.X;

    public int Height { get; } = image.Size.Y;

    /// <summary>Whether a unit can be in a cell. False beyond the map's edge.</summary>
    public bool IsOpen(int x, int y, bool isFlying)
    {
        if (x < 0 || y < 0 || x >= Width || y >= Height)
        {
            return false;
        }

        // The highest bit is the leftmost cell.
        var at = (y * Width) + x;
        return isFlying || (_bits[at >> 3] & (0x80 >> (at & 7))) != 0;
    }
}
