namespace Sc2Bridge.Bench.Tests;

/// <summary>Tables fit terminals of several widths and files.</summary>
public sealed class TableTests
{
    public static TheoryData<int> Widths => PrintedTable.Widths;

    [Theory]
    [MemberData(nameof(Widths))]
    public void Of_a_comparison(int width)
    {
        // The slowest that there is: hours late on a link that is too slow.
        var report = ReportTests.Made();
        var runs = report.Runs.Select(run => run with
        {
            Parsed = Distribution.Of([12_345_678.9, 98_765_432.1]),
            Misses = 1,
            SenderCpu = 19.995,
        }).ToLookup(run => run.Measurement);
        var slow = report.Tables.Select(table => table with
        {
            Rows = [.. table.Rows.Select(row => MeasurementRow.Of(row.Measurement, row.Measurement, runs))],
        });
        Assert.All(
            report.Tables.Concat(slow).Concat(ReportTests.Made(ReportTests.Choice).Tables),
            table => PrintedTable.HoldsEveryCell(CompareTables.Table(table), width));
    }

    [Theory]
    [MemberData(nameof(Widths))]
    public void Of_codecs(int width)
    {
        var times = new Times(16_860, 0.326, 1234.567, 99_999.999);
        CodecRow[] rows =
        [
            new("C#", "JSON", "ours, wire to JSON to wire", times, times),
            new("C#", "JSON", "JsonFormatter, JsonParser", times, times),
            new("Python", "JSON", "orjson (dicts)", times, times),
        ];
        var report = new CodecReport(
            Full: true, Machine.Describe(), [], "a match", rows,
            [new("protobuf", "group zstd", 16_860, 1, 4_194_304, 9e6, 1234.567, 999.999, 123.4, 123_456)]);
        Assert.All(CodecTables.Tables(report), table => PrintedTable.HoldsEveryCell(table, width));
    }
}
