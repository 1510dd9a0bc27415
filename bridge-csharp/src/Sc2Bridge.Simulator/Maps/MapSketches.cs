namespace Sc2Bridge.Simulator.Maps;

/// <summary>The maps that the simulated game has.</summary>
internal static class MapSketches
{
    /// <summary>Every one; the first is played on where nothing else is said.</summary>
    public static IReadOnlyList<MapSketch> All { get; } = [CinderFortress(), AshenTerrace(), SaltBasin(), FourWinds()];

    /// <summary>A flat field on which nobody begins with anything, and who has nothing has not lost: for
    /// tests of units. It is named as the game's, on which python-sc2's queries_test_bot.py kills all that there is, its
    /// own too, and goes on.</summary>
    public static MapSketch Empty { get; } = new(
        "Empty128", 128, 128, new CellArea(4, 4, 124, 124), Symmetry.Turned, ResourceTypes.Plain, [], [],
        [new(16, 16, FieldSide.LowerLeft)], []);

    /// <summary>Starts in the lower left and the upper right, 14 bases.</summary>
    private static MapSketch CinderFortress() => new(
        "Cinder Fortress LE",
        144,
        160,
        new CellArea(16, 12, 128, 148),
        Symmetry.Turned,
        ResourceTypes.Plain,
        [
            new(Surface.Middle, 16, 30, 60, 76, 14),
            new(Surface.Chasm, 16, 12, 26, 22, 0),
            new(Surface.High, 16, 12, 46, 44, 9),
            new(Surface.Middle, 80, 12, 108, 40, 12),
            new(Surface.Middle, 44, 86, 72, 112, 12),
            new(Surface.Chasm, 112, 12, 127, 27, 4),
            new(Surface.Chasm, 62, 42, 67, 55, 2),
            new(Surface.Chasm, 38, 80, 43, 84, 1),
            new(Surface.Blocked, 70, 76, 71, 78, 0),
            new(Surface.Blocked, 112, 52, 116, 55, 1),
            new(Surface.Smoke, 56, 80, 59, 83, 1),
            new(Surface.Smoke, 110, 76, 113, 83, 0),
        ],
        [
            new(36, 34, 1, 1, 1),
            new(45, 61, 1, 1, 3),
            new(50, 42, 1, -1, 2),
            new(93, 27, -1, 1, 3),
            new(59, 99, 1, -1, 3),
            new(57, 99, -1, -1, 2),
        ],
        [
            new(29, 26, FieldSide.LowerLeft),
            new(26, 58, FieldSide.Left),
            new(66, 24, FieldSide.Below),
            new(94, 24, FieldSide.Below),
            new(118, 40, FieldSide.Right),
            new(25, 90, FieldSide.Left),
            new(58, 100, FieldSide.Above),
        ],
        [
            new(ExtraSketch.WatchTower, 64, 80),
            new(ExtraSketch.Rocks, 22, 78),
            new(ExtraSketch.Rocks, 76, 34),
            new(ExtraSketch.SmallRocks, 102, 44),
            new(ExtraSketch.Unbuildable, 48, 47),
        ]);

    /// <summary>Starts in the upper left and the lower right, the naturals beside them, 12 bases.</summary>
    private static MapSketch AshenTerrace() => new(
        "Ashen Terrace LE",
        152,
        152,
        new CellArea(12, 12, 140, 140),
        Symmetry.Turned,
        ResourceTypes.Lab,
        [
            new(Surface.Middle, 30, 98, 76, 139, 14),
            new(Surface.Chasm, 12, 129, 22, 139, 0),
            new(Surface.High, 12, 106, 44, 139, 9),
            new(Surface.Middle, 12, 38, 40, 68, 12),
            new(Surface.Chasm, 12, 12, 26, 24, 6),
            new(Surface.Chasm, 44, 80, 52, 86, 2),
            new(Surface.Chasm, 80, 112, 86, 126, 2),
            new(Surface.Blocked, 70, 74, 73, 77, 1),
            new(Surface.Blocked, 40, 88, 42, 91, 1),
            new(Surface.Smoke, 78, 92, 83, 95, 1),
            new(Surface.Smoke, 44, 48, 47, 55, 0),
        ],
        [
            new(34, 116, 1, -1, 1),
            new(60, 114, 1, -1, 3),
            new(27, 53, 1, 1, 3),
            new(27, 53, 1, -1, 2),
        ],
        [
            new(27, 125, FieldSide.UpperLeft),
            new(60, 126, FieldSide.Above),
            new(26, 86, FieldSide.Left),
            new(26, 53, FieldSide.Left),
            new(58, 68, FieldSide.LowerLeft),
            new(104, 122, FieldSide.Above),
        ],
        [
            new(ExtraSketch.WatchTower, 76, 66),
            new(ExtraSketch.Rocks, 48, 94),
            new(ExtraSketch.Rocks, 92, 118),
            new(ExtraSketch.SmallRocks, 44, 36),
            new(ExtraSketch.Unbuildable, 47, 106),
        ]);

    /// <summary>The smallest field, in a wide frame as some maps have: starts in the lower left and the upper right,
    /// 8 bases.</summary>
    private static MapSketch SaltBasin() => new(
        "Salt Basin LE",
        160,
        168,
        new CellArea(36, 36, 124, 132),
        Symmetry.Turned,
        ResourceTypes.Purifier,
        [
            new(Surface.Middle, 36, 54, 72, 92, 12),
            new(Surface.Chasm, 36, 36, 46, 46, 0),
            new(Surface.High, 36, 36, 66, 66, 8),
            new(Surface.Chasm, 100, 61, 107, 67, 2),
            new(Surface.Smoke, 89, 66, 92, 69, 1),
        ],
        [
            new(56, 56, 1, 1, 1),
            new(60, 80, 1, 1, 3),
        ],
        [
            new(49, 49, FieldSide.LowerLeft),
            new(47, 76, FieldSide.Left),
            new(50, 118, FieldSide.Above),
            new(88, 46, FieldSide.Below),
        ],
        [
            new(ExtraSketch.WatchTower, 80, 84),
            new(ExtraSketch.Rocks, 80, 62),
            new(ExtraSketch.Unbuildable, 69, 69),
        ]);

    /// <summary>The largest: a start in each corner, 16 bases, a tower in the middle.</summary>
    private static MapSketch FourWinds() => new(
        "Four Winds LE",
        200,
        192,
        new CellArea(16, 16, 184, 176),
        Symmetry.Mirrored,
        ResourceTypes.Plain,
        [
            new(Surface.Middle, 16, 36, 64, 84, 14),
            new(Surface.Chasm, 16, 16, 26, 26, 0),
            new(Surface.High, 16, 16, 48, 50, 10),
            new(Surface.Middle, 72, 41, 127, 74, 12),
            new(Surface.Chasm, 92, 86, 96, 92, 2),
            new(Surface.Chasm, 40, 92, 48, 99, 2),
            new(Surface.Blocked, 86, 16, 88, 20, 0),
            new(Surface.Smoke, 76, 88, 79, 103, 0),
        ],
        [
            new(36, 38, 1, 1, 1),
            new(48, 68, 1, 1, 3),
            new(52, 48, 1, -1, 2),
            new(84, 56, -1, 1, 3),
            new(84, 56, -1, -1, 2),
        ],
        [
            new(29, 30, FieldSide.LowerLeft),
            new(26, 66, FieldSide.Left),
            new(70, 25, FieldSide.Below),
            new(88, 57, FieldSide.Above),
        ],
        [
            new(ExtraSketch.WatchTower, 100, 96),
            new(ExtraSketch.Rocks, 24, 92),
            new(ExtraSketch.SmallRocks, 96, 30),
            new(ExtraSketch.Unbuildable, 50, 53),
        ]);
}
