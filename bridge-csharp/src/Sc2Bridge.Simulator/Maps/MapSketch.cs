using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.Maps;

/// <summary>The ground that a shape creates.</summary>
internal enum Surface
{
    /// <summary>A chasm: height 127, not pathable.</summary>
    Chasm = -1,

    /// <summary>The lowest walkable level: height 191, z 8.</summary>
    Low,

    /// <summary>Height 207, z 10: naturals, some others.</summary>
    Middle,

    /// <summary>Height 223, z 12: starts.</summary>
    High,

    /// <summary>Blocked, at its previous height: boulders, wrecks.</summary>
    Blocked,

    /// <summary>Smoke or bushes: units outside cannot see in. Pathable, not placeable.</summary>
    Smoke,
}

/// <summary>The unit types of a map's resources.</summary>
/// <param name="Mineral">A field with 1800 minerals.</param>
/// <param name="SmallMineral">A field with 900 minerals.</param>
/// <param name="Geyser">A geyser with 2250 vespene.</param>
internal sealed record ResourceTypes(int Mineral, int SmallMineral, int Geyser)
{
    /// <summary>The resource types of most maps.</summary>
    public static ResourceTypes Usual { get; } = new(UnitId.MineralField, UnitId.MineralField750, UnitId.VespeneGeyser);
}

/// <summary>A rectangle of cells with its corners cut at 45 degrees.</summary>
/// <param name="Surface">The ground that it creates.</param>
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

/// <summary>A ramp that leads down one level through a cut corner of a plateau.</summary>
/// <param name="X">A cell of the plateau on the ramp's axis.</param>
/// <param name="Y">A cell of the plateau on the ramp's axis.</param>
/// <param name="Right">1 if it leads down towards larger x, else -1.</param>
/// <param name="Up">1 if it leads down towards larger y, else -1.</param>
/// <param name="Size">1 for a start's ramp, which three supply depots block; 2, 3 and 4 are wider.</param>
internal sealed record RampSketch(int X, int Y, int Right, int Up, int Size);

/// <summary>A base: the cell at the town hall's center, and the direction of its resources.</summary>
/// <param name="X">The column.</param>
/// <param name="Y">The row.</param>
/// <param name="Right">1 if its resources are towards larger x, -1 towards smaller x, 0 neither.</param>
/// <param name="Up">1 if they are towards larger y, -1 towards smaller y, 0 neither.</param>
internal sealed record BaseSketch(int X, int Y, int Right, int Up);

/// <summary>A neutral unit that is not a resource, at a corner of cells.</summary>
/// <param name="TypeId">The game's unit type.</param>
/// <param name="X">The center, in cells.</param>
/// <param name="Y">The center, in cells.</param>
internal sealed record ExtraSketch(int TypeId, int X, int Y);

/// <summary>A map in a few lines: a part of it that is repeated, so that all starts are equally good.</summary>
/// <param name="Name">The map's name.</param>
/// <param name="Width">The width in cells.</param>
/// <param name="Height">The height in cells.</param>
/// <param name="Playable">The playable area, around the map's center.</param>
/// <param name="Images">The number of copies of the part. 2: the second copy is turned by half a turn around the center.
/// 4: they are mirrored along both axes, so one is also turned.</param>
/// <param name="Resources">The unit types of its resources.</param>
/// <param name="Shapes">Shapes, drawn in their order on low ground.</param>
/// <param name="Ramps">Ramps between the levels.</param>
/// <param name="Bases">Bases. The first one is a start.</param>
/// <param name="Extras">Other neutral units.</param>
/// <param name="Melee">Whether players begin with a base. If not, a player without units has not lost.</param>
/// <remarks>The maps are our own. Only their general form is like the game's maps.</remarks>
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
    /// <summary>An image of a point. Image 0 is the point itself, and image 1 the opposite one.</summary>
    /// <param name="x">A coordinate in any unit.</param>
    /// <param name="y">In the same unit.</param>
    /// <param name="endX">The map's width in that unit. For indexes of cells, the width minus 1.</param>
    /// <param name="endY">The map's height in that unit. For indexes of cells, the height minus 1.</param>
    /// <param name="image">The image's number.</param>
    public static (int X, int Y) Image(int x, int y, int endX, int endY, int image) => image switch
    {
        0 => (x, y),
        1 => (endX - x, endY - y),
        2 => (endX - x, y),
        _ => (x, endY - y),
    };
}
