using System.Text.Json;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator;

/// <summary>The map in a scenario's file: one character for each cell, with the top row first, or only its size if it is flat.</summary>
/// <remarks>
/// A digit is ground with a height of 0 to 8 quarters of a level. A dot is the lowest ground. Ramps rise by a quarter for each
/// cell. If the ground falls by more, it is a cliff, and its edge is not walkable. <c>#</c> is blocked, <c>~</c> is a chasm.
/// The outermost cells are a frame that is not playable.
/// </remarks>
internal static class DrawnMap
{
    private const string Ground = "012345678";
    private const int Level = 4;
    private const byte Low = 191;
    private const byte Chasm = 127;
    private const int Least = 16;
    private const int Most = 256;

    /// <summary>The rows of a scenario's <c>map</c>, all with the same length.</summary>
    public static string[] Rows(ScenarioField map)
    {
        if (map.Value.EnumerateArray().All(item => item.ValueKind == JsonValueKind.Number))
        {
            var size = map.Items(2, 2, "numbers: width and height in cells");
            return [.. Enumerable.Repeat(new string('.', Size(size[0])), size[1].Whole(Least, Most))];
        }

        var rows = map.Items(Least, Most, "rows");
        var width = rows[0].Value.ValueKind == JsonValueKind.String ? rows[0].Value.GetString()!.Length : 0;
        return [.. rows.Select(row => row.Value.ValueKind == JsonValueKind.String && row.Value.GetString() is { } text
            && text.Length == width && width % 8 == 0 && width is >= Least and <= Most
            && text.All(cell => cell is '.' or '#' or '~' || Ground.Contains(cell, StringComparison.Ordinal))
            ? text
            : throw row.Wrong($"the characters . # ~ and 0 to 8, as many as in the other rows: a multiple of 8 from {Least} to {Most}"))];
    }

    /// <summary>The map's properties apart from its grids.</summary>
    public static MapSketch Sketch(string[] rows) => new(
        "", rows[0].Length, rows.Length, new CellArea(1, 1, rows[0].Length - 1, rows.Length - 1), 4,
        ResourceTypes.Usual, [], [], [], []);

    public static GameMap Make(MapSketch sketch, string[] rows, Scenario scenario)
    {
        var cells = sketch.Width * sketch.Height;
        var (pathable, placeable, heights) = (new bool[cells], new bool[cells], new byte[cells]);
        var slopes = new List<int>();
        for (var cell = 0; cell < cells; cell++)
        {
            var (x, y) = (cell % sketch.Width, cell / sketch.Width);
            if (!sketch.Playable.Contains(x, y))
            {
                continue;
            }

            var height = HeightAt(rows, x, y);
            heights[cell] = height is null ? Low : height < 0 ? Chasm : (byte)(Low + (height * Level));
            pathable[cell] = height >= 0 && !Enumerable.Range(0, 9).Any(near =>
                HeightAt(rows, x - 1 + (near % 3), y - 1 + (near / 3)) < height - 1);
            placeable[cell] = pathable[cell] && height % Level == 0;
            if (pathable[cell] && !placeable[cell])
            {
                slopes.Add(cell);
            }
        }

        return new GameMap(sketch, pathable, placeable, heights, [new MapRamp([], [], [.. slopes])], scenario);
    }

    private static int Size(ScenarioField size) => size.Whole(Least, Most) is var cells && cells % 8 == 0
        ? cells
        : throw size.Wrong("a multiple of 8");

    // The height in quarters of a level; negative in a chasm, null if the cell is blocked.
    private static int? HeightAt(string[] rows, int x, int y) => rows[^(y + 1)][x] switch
    {
        '#' => null,
        '~' => -Level,
        '.' => 0,
        var ground => ground - '0',
    };
}
