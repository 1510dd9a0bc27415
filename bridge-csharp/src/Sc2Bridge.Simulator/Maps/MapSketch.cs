namespace Sc2Bridge.Simulator.Maps;

/// <summary>How a part of a map is repeated, so that no start is better than another.</summary>
internal enum Symmetry
{
    /// <summary>Turned by half a turn around the middle: two starts.</summary>
    Turned,

    /// <summary>Mirrored along both axes (hence turned as well): four starts.</summary>
    Mirrored,
}

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

/// <summary>Where a base's resources lie from its town hall.</summary>
internal enum FieldSide
{
    /// <summary>Towards smaller x.</summary>
    Left,

    /// <summary>Towards larger x.</summary>
    Right,

    /// <summary>Towards smaller y.</summary>
    Below,

    /// <summary>Towards larger y.</summary>
    Above,

    /// <summary>In the corner of smaller x and y.</summary>
    LowerLeft,

    /// <summary>In the corner of larger x and smaller y.</summary>
    LowerRight,

    /// <summary>In the corner of smaller x and larger y.</summary>
    UpperLeft,

    /// <summary>In the corner of larger x and y.</summary>
    UpperRight,
}

/// <summary>The looks of a map's resources: unit types of the game.</summary>
/// <param name="Mineral">Of 1800 minerals.</param>
/// <param name="SmallMineral">Of 900.</param>
/// <param name="Geyser">Of 2250 vespene.</param>
internal sealed record ResourceTypes(int Mineral, int SmallMineral, int Geyser)
{
    /// <summary>MineralField, MineralField750, VespeneGeyser.</summary>
    public static ResourceTypes Plain { get; } = new(341, 483, 342);

    /// <summary>LabMineralField, LabMineralField750, SpacePlatformGeyser.</summary>
    public static ResourceTypes Lab { get; } = new(665, 666, 343);

    /// <summary>PurifierMineralField, PurifierMineralField750, PurifierVespeneGeyser.</summary>
    public static ResourceTypes Purifier { get; } = new(884, 885, 880);
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
/// <param name="Side">Where its resources lie.</param>
internal sealed record BaseSketch(int X, int Y, FieldSide Side);

/// <summary>A neutral unit that is no resource, at a corner of cells.</summary>
/// <param name="TypeId">The game's unit type.</param>
/// <param name="X">Its middle, in cells.</param>
/// <param name="Y">Its middle, in cells.</param>
internal sealed record ExtraSketch(int TypeId, int X, int Y)
{
    /// <summary>DestructibleRockEx16x6: 2000 life, 3 armour.</summary>
    public const int Rocks = 639;

    /// <summary>DestructibleRockEx14x4.</summary>
    public const int SmallRocks = 638;

    /// <summary>XelNagaTower: who stands beside it sees 22 cells around.</summary>
    public const int WatchTower = 149;

    /// <summary>UnbuildableRocksDestructible: walked over, not built on.</summary>
    public const int Unbuildable = 472;
}

/// <summary>A map in a few lines: one part of it, repeated as <see cref="Symmetry"/> says.</summary>
/// <param name="Name">As the game would name it.</param>
/// <param name="Width">In cells.</param>
/// <param name="Height">In cells.</param>
/// <param name="Playable">The part that is played on, around the map's middle.</param>
/// <param name="Symmetry">How the part is repeated.</param>
/// <param name="Resources">The looks of its resources.</param>
/// <param name="Shapes">Drawn one over the other onto low ground.</param>
/// <param name="Ramps">Between the levels.</param>
/// <param name="Bases">The first is a start.</param>
/// <param name="Extras">What else stands there.</param>
/// <remarks>All of our own making; only the general shape of things is that of the game's maps.</remarks>
internal sealed record MapSketch(
    string Name,
    int Width,
    int Height,
    CellArea Playable,
    Symmetry Symmetry,
    ResourceTypes Resources,
    Shape[] Shapes,
    RampSketch[] Ramps,
    BaseSketch[] Bases,
    ExtraSketch[] Extras)
{
    /// <summary>How often a part is repeated, itself included.</summary>
    public int Images => Symmetry == Symmetry.Turned ? 2 : 4;

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
