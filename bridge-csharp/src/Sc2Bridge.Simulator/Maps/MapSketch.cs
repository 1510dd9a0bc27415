using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.Maps;

/// <summary>What a shape makes of the ground.</summary>
internal enum Surface
{
    /// <summary>A chasm: height 127, not pathable.</summary>
    Chasm = -1,

    /// <summary>The lowest level that is walked on: height 191, z 8.</summary>
    Low,

    /// <summary>Height 207, z 10: naturals, some others.</summary>
    Middle,

    /// <summary>Height 223, z 12: starts.</summary>
    High,

    /// <summary>Blocked, at the height that was there: boulders, wrecks.</summary>
    Blocked,

    /// <summary>Smoke, bushes: who stands outside does not see in. Pathable, not placeable.</summary>
    Smoke,
}

/// <summary>The looks of a map's resources: unit types of the game.</summary>
/// <param name="Mineral">Of 1800 minerals.</param>
/// <param name="SmallMineral">Of 900.</param>
/// <param name="Geyser">Of 2250 vespene.</param>
internal sealed record ResourceTypes(int Mineral, int SmallMineral, int Geyser)
{
    /// <summary>Those of most maps.</summary>
    public static ResourceTypes Usual { get; } = new(UnitId.MineralField, UnitId.MineralField750, UnitId.VespeneGeyser);
}

/// <summary>A rectangle of cells with its corners cut at 45 degrees.</summary>
/// <param name="Surface">What it makes of the ground.</param>
/// <param name="X0">The first column.</param>
/// <param name="Y0">The lowest row.</param>
/// <param name="X1">The last column.</param>
/// <param name="Y1">The highest row.</param>
/// <param name="Cut">Cells cut from each corner along an axis.</param>
internal sealed record Shape(Surface Surface, int X0, int Y0, int X1, int Y1, int Cut)
{
    /// <summary>Whether a cell is inside.</summary>
    public bool Contains(int x, int y)
    {
        var left = x - X0;
        var right = X1 - x;
        var below = y - Y0;
        var above = Y1 - y;
        return left >= 0 && right >= 0 && below >= 0 && above >= 0
            && Math.Min(left, right) + Math.Min(below, above) >= Cut;
    }
}

/// <summary>A ramp down one level through a cut corner of a plateau.</summary>
/// <param name="X">A cell of the plateau on the ramp's axis.</param>
/// <param name="Y">A cell of the plateau on the ramp's axis.</param>
/// <param name="Right">1 where it leads down towards larger x, else -1.</param>
/// <param name="Up">1 where it leads down towards larger y, else -1.</param>
/// <param name="Size">1 for a start's ramp, which three supply depots close; 2, 3 and 4 are wider.</param>
internal sealed record RampSketch(int X, int Y, int Right, int Up, int Size);

/// <summary>A base: the cell in the town hall's middle, and where its resources lie.</summary>
/// <param name="X">The column.</param>
/// <param name="Y">The row.</param>
/// <param name="Right">1 where its resources lie towards larger x, -1 towards smaller, 0 neither.</param>
/// <param name="Up">1 where they lie towards larger y, -1 towards smaller, 0 neither.</param>
internal sealed record BaseSketch(int X, int Y, int Right, int Up);

/// <summary>A neutral unit that is no resource, at a corner of cells.</summary>
/// <param name="TypeId">The game's unit type.</param>
/// <param name="X">Its middle, in cells.</param>
/// <param name="Y">Its middle, in cells.</param>
internal sealed record ExtraSketch(int TypeId, int X, int Y);

/// <summary>A map in a few lines: one part of it, repeated so that no start is better than another.</summary>
/// <param name="Name">As the game would name it.</param>
/// <param name="Width">In cells.</param>
/// <param name="Height">In cells.</param>
/// <param name="Playable">The part that is played on, around the map's middle.</param>
/// <param name="Images">How often a part is repeated, itself included: 2, turned by half a turn around the middle; 4,
/// mirrored along both axes (hence turned as well).</param>
/// <param name="Resources">The looks of its resources.</param>
/// <param name="Shapes">Drawn one over the other onto low ground.</param>
/// <param name="Ramps">Between the levels.</param>
/// <param name="Bases">The first is a start.</param>
/// <param name="Extras">What else stands there.</param>
/// <param name="Melee">Whether players begin with a base. If not, a player without units has not lost.</param>
/// <remarks>All of our own making; only the general shape of things is that of the game's maps.</remarks>
internal sealed record MapSketch(
    string Name,
    int Width,
    int Height,
    CellArea Playable,
    int Images,
    ResourceTypes Resources,
    Shape[] Shapes,
    RampSketch[] Ramps,
    BaseSketch[] Bases,
    ExtraSketch[] Extras,
    bool Melee = true)
{
    /// <summary>The images of a place, itself first and the one opposite second.</summary>
    /// <param name="x">In any unit.</param>
    /// <param name="y">In the same unit.</param>
    /// <param name="endX">The map's width in that unit (for indexes of cells less 1).</param>
    /// <param name="endY">The map's height in that unit (for indexes of cells less 1).</param>
    /// <param name="image">Which image.</param>
    public static (int X, int Y) Image(int x, int y, int endX, int endY, int image) => image switch
    {
        0 => (x, y),
        1 => (endX - x, endY - y),
        2 => (endX - x, y),
        _ => (x, endY - y),
    };
}
