using System.Globalization;

namespace Sc2Bridge.Functional.Tests;

/// <summary>A log file: its columns, and its rows as texts by column.</summary>
internal sealed record LogTable(IReadOnlyList<string> Columns, IReadOnlyList<IReadOnlyDictionary<string, string>> Rows)
{
    /// <summary>Reads it. Fails if a row is cut off or does not match the head.</summary>
    public static LogTable Read(string file)
    {
        var text = File.ReadAllText(file);
        Assert.EndsWith("\n", text, StringComparison.Ordinal);
        var lines = text.TrimEnd('\n').Split('\n');
        var columns = lines[0].Split(',');
        return new LogTable(
            columns,
            [.. lines[1..].Select(line =>
            {
                var cells = line.Split(',');
                Assert.Equal(columns.Length, cells.Length);
                return columns.Zip(cells).ToDictionary(pair => pair.First, pair => pair.Second);
            })]);
    }

    /// <summary>Expects the steps 0, 1, 2 … without a gap.</summary>
    /// <param name="atLeast">How many there must be.</param>
    public void Complete(int atLeast)
    {
        Assert.Equal(Enumerable.Range(0, Rows.Count), Rows.Select(row => (int)Number(row, "step")!));
        Assert.True(Rows.Count >= atLeast, $"{Rows.Count} steps instead of {atLeast}");
    }

    /// <summary>A cell as a number; null if it is empty.</summary>
    public static double? Number(IReadOnlyDictionary<string, string> row, string column) =>
        row[column].Length == 0 ? null : double.Parse(row[column], CultureInfo.InvariantCulture);
}
