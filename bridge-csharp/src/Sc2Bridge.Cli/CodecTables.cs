using System.Globalization;
using Sc2Bridge.Measuring;
using Sc2Bridge.Measuring.Codecs;
using Sc2Bridge.Measuring.Goals;
using Spectre.Console;

namespace Sc2Bridge.Cli;

/// <summary>Prints what <c>sc2bridge codec</c> measured.</summary>
internal static class CodecTables
{
    internal static void Print(IAnsiConsole console, CodecReport report)
    {
        console.WriteLine(report.Machine.Text);

        foreach (var runtime in report.Pythons.Select(python => python.Runtime.ToString()).Append(report.Node?.Runtime))
        {
            if (runtime is not null)
            {
                console.WriteLine($"runtime   {runtime}");
            }
        }

        console.WriteLine($"match     {report.Match}");
        console.Write(Codecs(report));
        console.Write(Sizes(report));
        console.Write(Ratios(report));
        Table?[] more = [Units(report), Messages(report), Peers(report), Goals(report)];
        foreach (var table in more.OfType<Table>().Where(table => table.Rows.Count > 0))
        {
            console.Write(table);
        }

        foreach (var reason in report.Left)
        {
            console.WriteLine($"not measured: {reason}");
        }
    }

    private static Table Codecs(CodecReport report)
    {
        var table = Table(
            $"ms an observation over the match, beside published figures ({report.PublishedMachine})",
            "codec", "steps", "min", "25 % trimmed mean", "max", "published min", "mean", "max");
        foreach (var row in report.Codecs)
        {
            // Libraries that had no part in the published figures stand beside none.
            var published = report.Published.FirstOrDefault(other =>
                (other.Language, other.Format, other.Library) == (row.Language, row.Format, row.Library));
            AddTimes(table, $"{row.Language} {row.Format} write, {row.Library}", row.Write, published?.Write);
            AddTimes(table, $"{row.Language} {row.Format} read, {row.Library}", row.Read, published?.Read);
        }

        return table;
    }

    private static void AddTimes(Table table, string name, Times times, Times? published) => table.AddRow(
        Markup.Escape(name), Whole(times.Steps), Ms(times.MinMs), Ms(times.MeanMs), Ms(times.MaxMs),
        Ms(published?.MinMs), Ms(published?.MeanMs), Ms(published?.MaxMs));

    private static Table Sizes(CodecReport report)
    {
        var table = Table(
            "size of a message, and the link speed below which compressing pays",
            "format", "compression", "steps", "KiB min", "mean", "max", "times fewer", "Mbit/s at 16 Hz", "at 22.4 Hz",
            "compress ms", "decompress ms", "pays below Mbit/s");
        foreach (var row in report.Sizes)
        {
            table.AddRow(
                row.Format, row.Compression, Whole(row.Steps), Kib(row.MinBytes), Kib(row.MeanBytes), Kib(row.MaxBytes),
                Short(row.TimesFewer), Short(row.MbitAt16), Short(row.MbitAt22), Ms(row.CompressMs),
                Ms(row.DecompressMs), Whole(row.PaysBelowMbit));
        }

        return table;
    }

    private static Table Ratios(CodecReport report)
    {
        var table = Table(
            string.Create(
                CultureInfo.InvariantCulture,
                $"JSON in times protobuf (published: {PublishedFigures.LeastRatio:0.0} to "
                + $"{PublishedFigures.GreatestRatio:0.0})"),
            "style", "first step", "late, least", "late, most", "real messages", "in the published range");
        foreach (var row in report.JsonRatios)
        {
            table.AddRow(
                Markup.Escape(row.Style), Short(row.First), Short(row.Least), Short(row.Most), Short(row.Real),
                row.InPublishedRange ? "yes" : "");
        }

        return table;
    }

    private static Table Units(CodecReport report)
    {
        var table = Table(
            "the unit table in Python, in times plain JSON",
            "form", "compression", "write", "read", "size", "write ms", "read ms", "KiB");
        foreach (var row in report.UnitTable)
        {
            table.AddRow(
                row.Form, row.Compression, Ratio(row.WriteRelative), Ratio(row.ReadRelative), Ratio(row.SizeRelative),
                Ms(row.WriteMs), Ms(row.ReadMs), Kib(row.Bytes));
        }

        return table;
    }

    private static Table Messages(CodecReport report)
    {
        var table = Table(
            "small, medium and large messages in C#",
            "message", "operation", "used bytes", "ns", "bytes allocated", "allocations", "allocated/used", "by");
        foreach (var row in report.Messages)
        {
            table.AddRow(
                Markup.Escape(row.Message), Markup.Escape($"{row.Format} {row.Verb}, {row.Library}"),
                Whole(row.UsedBytes), Whole(row.NsEach), Whole(row.AllocatedBytesEach), Whole(row.AllocationsEach),
                Short(row.AllocatedOverUsed), row.By);
        }

        return table;
    }

    private static Table Peers(CodecReport report)
    {
        var table = Table(
            "runtimes side by side on some of the steps, ms (25 % trimmed mean)",
            "runtime", "codec", "steps", "write", "read");
        var runs = report.Pythons.Select(python => (Runtime: python.Runtime.ToString(), python.Rows));
        foreach (var (runtime, rows) in report.Node is { } node ? runs.Append((node.Runtime, node.Rows)) : runs)
        {
            foreach (var row in rows)
            {
                table.AddRow(
                    Markup.Escape(runtime), Markup.Escape($"{row.Format}, {row.Library}"), Whole(row.Write.Steps),
                    Ms(row.Write.MeanMs), Ms(row.Read.MeanMs));
            }
        }

        return table;
    }

    private static Table Goals(CodecReport report)
    {
        var table = Table("goals", "goal", "wanted", "match", "harsh sequence", "reached");
        foreach (var row in report.Goals)
        {
            table.AddRow(
                Markup.Escape(row.Name), $"{(row.AtLeast ? "≥" : "≤")} {Figure(row.Bound)}", Figure(row.Match),
                Figure(row.Harsh), Reached(row));
        }

        return table;
    }

    private static string Reached(GoalRow row) => row.Reached switch { true => "yes", false => "no", null => "" };

    private static Table Table(string title, params string[] columns)
    {
        var table = new Table().Title(Markup.Escape(title)).Border(TableBorder.Rounded);
        foreach (var column in columns)
        {
            table.AddColumn(Markup.Escape(column));
        }

        return table;
    }

    private static string Whole(double? value) => Text(value, "N0");

    private static string Short(double? value) => Text(value, "0.0");

    private static string Ratio(double value) => Text(value, "0.00");

    private static string Ms(double? value) => Text(value, "0.000");

    private static string Figure(double? value) => Text(value, "0.###");

    private static string Kib(double bytes) => Text(bytes / 1024, "0.0");

    private static string Text(double? value, string format) =>
        value?.ToString(format, CultureInfo.InvariantCulture) ?? "";
}
