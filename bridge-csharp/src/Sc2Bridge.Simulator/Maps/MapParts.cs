namespace Sc2Bridge.Simulator.Maps;

/// <summary>A rectangle of cells. The upper bounds are exclusive.</summary>
/// <param name="X0">The first column.</param>
/// <param name="Y0">The lowest row.</param>
/// <param name="X1">The column after the last.</param>
/// <param name="Y1">The row after the highest.</param>
internal readonly record struct CellArea(int X0, int Y0, int X1, int Y1)
{
    /// <summary>Whether a cell is inside.</summary>
    public bool Contains(int x, int y) => x >= X0 && x < X1 && y >= Y0 && y < Y1;
}

/// <summary>A neutral object that is on a map from the start. Positions are in 1/4096 of a cell.</summary>
/// <param name="TypeId">The game's unit type.</param>
/// <param name="X">The center.</param>
/// <param name="Y">The center.</param>
/// <param name="Contents">Its minerals or vespene; 0 if it is not a resource.</param>
/// <param name="Footprint">The cells that it covers.</param>
/// <param name="Blocks">Whether ground units must go around it. Nothing can be built on it in any case.</param>
internal sealed record Neutral(int TypeId, int X, int Y, int Contents, Footprint Footprint, bool Blocks = true);

/// <summary>A base: the position of its town hall, and its resources. Positions are in 1/4096 of a cell.</summary>
/// <param name="X">The town hall's center.</param>
/// <param name="Y">The town hall's center.</param>
/// <param name="Minerals">Eight mineral fields.</param>
/// <param name="Geysers">Two geysers.</param>
internal sealed record MapBase(int X, int Y, Neutral[] Minerals, Neutral[] Geysers)
{
    /// <summary>The minerals, then the geysers.</summary>
    public Neutral[] Resources { get; } = [.. Minerals, .. Geysers];
}

/// <summary>A ramp between two levels.</summary>
/// <param name="Top">Its highest cells, as indexes into the map's grids: 2 for the ramp of a start, and 2 more for each
/// larger size.</param>
/// <param name="Bottom">Its lowest cells.</param>
/// <param name="Cells">All its cells.</param>
internal sealed record MapRamp(int[] Top, int[] Bottom, int[] Cells);
