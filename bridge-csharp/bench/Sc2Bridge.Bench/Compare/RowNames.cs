using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>What a table and its rows are called: what all of its rows share stands once, above them.</summary>
internal sealed class RowNames
{
    private readonly string _name;
    private readonly Measurement? _alike;
    private readonly bool _hasLink;

    /// <param name="table">At least one row.</param>
    public RowNames(ComparisonTable table)
    {
        var measurements = table.Rows.Select(row => row.Measurement).ToList();
        _name = char.ToUpperInvariant(table.Name[0]) + table.Name[1..];
        _alike = measurements.DistinctBy(measurement => measurement.Rate).Count() == 1 ? measurements[0] : null;
        _hasLink = measurements.DistinctBy(measurement => measurement.LinkMbit).Count() > 1;
    }

    /// <summary>Above the table.</summary>
    public string Title => _alike is { } measurement ? $"{_name}, at {Rate(measurement)}" : _name;

    /// <summary>Beside a row.</summary>
    public string Of(MeasurementRow row)
    {
        var measurement = _hasLink ? row.Measurement : row.Measurement with { LinkMbit = 0 };
        return _alike is null ? $"{measurement.Name}, {Rate(measurement)}" : measurement.Name;
    }

    /// <summary>A measurement's rate as a person says it.</summary>
    public static string Rate(Measurement measurement) => measurement.Rate > 0 ? Invariant($"{measurement.Rate} a second") : "max";
}
