namespace Sc2Bridge.Comparing.Results;

/// <summary>A column of a table that holds its rows against others.</summary>
/// <param name="Title">Over the column.</param>
/// <param name="Get">Takes it from a row; null where it has none.</param>
public sealed record RatioColumn(string Title, Func<CellRow, Ratio?> Get)
{
    private static readonly RatioColumn[] _all =
    [
        new("parsed, in times the baseline", row => row.ParsedToBaseline),
        new("held, in times bare", row => row.HeldToBare),
        new("held, in times raw", row => row.HeldToRaw),
        new("bridge CPU, in times bare", row => row.CpuToBare),
        new("bridge CPU, in times raw", row => row.CpuToRaw),
        new("parsed, in times python-sc2", row => row.ParsedToPolled),
    ];

    /// <summary>Those of which a table has any.</summary>
    public static IReadOnlyList<RatioColumn> Of(ComparisonTable table)
    {
        ArgumentNullException.ThrowIfNull(table);
        return [.. _all.Where(column => table.Rows.Any(row => column.Get(row) is not null))];
    }
}
