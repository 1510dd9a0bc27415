namespace Sc2Bridge.Bench;

/// <summary>A column that holds a table's rows against others: of the tables and of the CSV.</summary>
/// <param name="Key">In the CSV.</param>
/// <param name="Title">Over a table's column.</param>
/// <param name="Get">Takes it from a row; null where it has none.</param>
internal sealed record RatioColumn(string Key, string Title, Func<MeasurementRow, Ratio?> Get)
{
    /// <summary>All of them, in the order of the columns.</summary>
    public static IReadOnlyList<RatioColumn> All { get; } =
    [
        new("held_to_baseline", "held, in times the baseline", row => row.HeldToBaseline),
        new("parsed_to_baseline", "parsed, in times the baseline", row => row.ParsedToBaseline),
        new("held_to_bare", "held, in times bare", row => row.HeldToBare),
        new("held_to_raw", "held, in times raw", row => row.HeldToRaw),
        new("bridge_cpu_to_bare", "bridge CPU, in times bare", row => row.CpuToBare),
        new("bridge_cpu_to_raw", "bridge CPU, in times raw", row => row.CpuToRaw),
        new("parsed_to_python_sc2", "parsed, in times python-sc2", row => row.ParsedToPolled),
    ];

    /// <summary>Those of which a table has any.</summary>
    public static IReadOnlyList<RatioColumn> Of(ComparisonTable table)
    {
        return [.. All.Where(column => table.Rows.Any(row => column.Get(row) is not null))];
    }
}
