namespace Sc2Bridge.Simulator.Pathing;

/// <summary>A map's cells, numbered row by row from the bottom. Points are in 1/4096 of a cell.</summary>
/// <param name="width">Cells along x.</param>
/// <param name="height">Cells along y.</param>
public class CellGrid(int width, int height)
{
    /// <summary>Parts of a cell. The game's own positions are multiples of 1/4096.</summary>
    public const int Cell = 1 << CellBits;

    /// <summary>The bit shift between cells and points.</summary>
    public const int CellBits = 12;

    /// <summary>Cells along x.</summary>
    public int Width { get; } = width;

    /// <summary>Cells along y.</summary>
    public int Height { get; } = height;

    /// <summary>Whether a cell is on the map.</summary>
    public bool Contains(int column, int row) => (uint)column < (uint)Width && (uint)row < (uint)Height;

    /// <summary>The cell of a point, limited to the map.</summary>
    /// <param name="x">In 1/4096 of a cell.</param>
    /// <param name="y">In 1/4096 of a cell.</param>
    public int CellAt(int x, int y) =>
        (Math.Clamp(y >> CellBits, 0, Height - 1) * Width) + Math.Clamp(x >> CellBits, 0, Width - 1);

    /// <summary>Converts a client's point to 1/4096 of a cell, limited to the map.</summary>
    /// <param name="x">In cells. NaN counts as 0.</param>
    /// <param name="y">In cells.</param>
    public (int X, int Y) PlaceAt(float x, float y) => (Within(x, Width), Within(y, Height));

    /// <summary>A point, limited to the map.</summary>
    /// <param name="x">In 1/4096 of a cell.</param>
    /// <param name="y">In 1/4096 of a cell.</param>
    public (int X, int Y) Inside(int x, int y) =>
        (Math.Clamp(x, 0, (Width * Cell) - 1), Math.Clamp(y, 0, (Height * Cell) - 1));

    /// <summary>The center of a cell, in 1/4096 of a cell.</summary>
    /// <param name="cell">The cell's number.</param>
    public (int X, int Y) Middle(int cell) =>
        (((cell % Width) << CellBits) + (Cell / 2), ((cell / Width) << CellBits) + (Cell / 2));

    private static int Within(float place, int size) => float.IsNaN(place)
        ? 0
        : (int)Math.Clamp(MathF.Round(place * Cell), 0, (size * Cell) - 1);
}
