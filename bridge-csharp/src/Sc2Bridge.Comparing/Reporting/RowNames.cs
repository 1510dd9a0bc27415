using Sc2Bridge.Comparing.Cells;
using Sc2Bridge.Comparing.Results;
using static System.FormattableString;

namespace Sc2Bridge.Comparing.Reporting;

/// <summary>What a table and its rows are called: what all of its rows share stands once, above them.</summary>
internal sealed class RowNames
{
    private readonly string _name;
    private readonly Cell? _alike;
    private readonly bool _hasLink;

    /// <param name="table">At least one row.</param>
    public RowNames(ComparisonTable table)
    {
        var cells = table.Rows.Select(row => row.Cell).ToList();
        _name = char.ToUpperInvariant(table.Name[0]) + table.Name[1..];
        _alike = cells.DistinctBy(cell => cell.Rate).Count() == 1 ? cells[0] : null;
        _hasLink = cells.DistinctBy(cell => cell.LinkMbit).Count() > 1;
    }

    /// <summary>Above the table.</summary>
    public string Title => _alike is { } cell ? $"{_name}, at {Rate(cell)}" : _name;

    /// <summary>Beside a row.</summary>
    public string Of(CellRow row)
    {
        var cell = _hasLink ? row.Cell : row.Cell with { LinkMbit = 0 };
        return _alike is null ? $"{cell.Name}, {Rate(cell)}" : cell.Name;
    }

    /// <summary>A cell's rate as a person says it.</summary>
    public static string Rate(Cell cell) => cell.Rate > 0 ? Invariant($"{cell.Rate} a second") : "max";
}
