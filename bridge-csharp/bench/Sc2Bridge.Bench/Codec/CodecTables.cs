using Spectre.Console;
using static System.FormattableString;
using static Sc2Bridge.Bench.Output;

namespace Sc2Bridge.Bench;

/// <summary>Prints what <c>sc2bridge codec</c> measured: the advice, and of each table the columns that decide.</summary>
internal static class CodecTables
{
    internal static void Print(IAnsiConsole console, CodecReport report)
    {
        var output = new Output(console);
        foreach (var sentence in Advice(report))
        {
            output.Line(sentence);
        }

        output.Line("");
        output.Machine(report.Machine);
        foreach (var runtime in report.Pythons.Select(python => python.Runtime.ToString()).Append(report.Node?.Runtime))
        {
            if (runtime is not null)
            {
                output.Line($"runtime   {runtime}");
            }
        }

        output.Line($"match     {report.Match}");
        foreach (var table in Tables(report).Where(table => table.Rows.Count > 0))
        {
            output.Table(table);
        }

        foreach (var reason in report.Left)
        {
            output.Line($"not measured: {reason}");
        }
    }

    private static IEnumerable<string> Advice(CodecReport report)
    {
        foreach (var language in report.Codecs.GroupBy(row => row.Language))
        {
            var best = language.MinBy(row => row.Read.MeanMs)!;
            var worst = language.MaxBy(row => row.Read.MeanMs)!;
            yield return Invariant($"In {language.Key} read {best.Format} ({best.Library}): {best.Read.MeanMs:0.00} ms an ")
                + Invariant($"observation; {worst.Format} by {worst.Library} takes {worst.Read.MeanMs:0.00} ms.");
        }

        if (report.Sizes.Where(row => row.CompressMs is not null).MaxBy(row => row.TimesFewer) is { } least)
        {
            yield return Invariant($"On a link slower than {least.PaysBelowMbit:0} Mbit/s take {least.Compression} of ")
                + Invariant($"{least.Format}: {least.TimesFewer:0.0} times fewer bytes for {least.CompressMs:0.00} ms.");
        }
    }

    /// <summary>Every table of a report.</summary>
    internal static IEnumerable<TextTable> Tables(CodecReport report) =>
    [
        Codecs(report), Sizes(report), Ratios(report), Units(report), Messages(report), Peers(report), Goals(report),
    ];

    private static TextTable Codecs(CodecReport report)
    {
        var table = new TextTable(
            $"an observation over the match, 25 % trimmed mean; published: {report.PublishedMachine}",
            ["codec"], "mean ms", "max ms", "published mean ms");
        foreach (var row in report.Codecs)
        {
            // Libraries that had no part in the published figures stand beside none.
            var published = report.Published.FirstOrDefault(other =>
                (other.Language, other.Format, other.Library) == (row.Language, row.Format, row.Library));
            Add("write", row.Write, published?.Write);
            Add("read", row.Read, published?.Read);

            void Add(string verb, Times times, Times? known) => table.Add(
                $"{row.Language} {row.Format} {verb}, {row.Library}",
                Fixed(times.MeanMs, 3), Fixed(times.MaxMs, 3), Fixed(known?.MeanMs, 3));
        }

        return table;
    }

    private static TextTable Sizes(CodecReport report)
    {
        var table = new TextTable(
            "a message on a link; compressing pays below a link speed",
            ["message"], "KiB", "× fewer", "pack ms", "unpack ms", "pays below Mbit/s");
        foreach (var row in report.Sizes)
        {
            table.Add(
                row.Compression == "none" ? row.Format : $"{row.Format}, {row.Compression}",
                Kib(row.MeanBytes), Fixed(row.TimesFewer, 1), Fixed(row.CompressMs, 3), Fixed(row.DecompressMs, 3),
                Whole(row.PaysBelowMbit));
        }

        return table;
    }

    private static TextTable Ratios(CodecReport report)
    {
        var table = new TextTable(
            Invariant($"JSON in times protobuf; in the published range: {PublishedFigures.LeastRatio:0.0} to ")
            + Invariant($"{PublishedFigures.GreatestRatio:0.0}"),
            ["style"], "first", "late", "real", "in range");
        foreach (var row in report.JsonRatios)
        {
            table.Add(
                row.Style, Fixed(row.First, 1), Invariant($"{row.Least:0.0}–{row.Most:0.0}"), Fixed(row.Real, 1),
                row.InPublishedRange ? "yes" : "no");
        }

        return table;
    }

    private static TextTable Units(CodecReport report)
    {
        var table = new TextTable(
            "the unit table in Python, in times plain JSON", ["form", "compression"], "write ×", "read ×", "size ×", "KiB");
        foreach (var row in report.UnitTable)
        {
            table.Add(
                row.Form, row.Compression, Fixed(row.WriteRelative, 2), Fixed(row.ReadRelative, 2),
                Fixed(row.SizeRelative, 2), Kib(row.Bytes));
        }

        return table;
    }

    private static TextTable Messages(CodecReport report)
    {
        var table = new TextTable(
            "small, medium and large messages in C#", ["message", "operation"], "µs", "bytes allocated");
        foreach (var row in report.Messages)
        {
            table.Add(
                row.Message, $"{row.Format} {row.Verb}, {row.Library}", Fixed(row.NsEach / 1000, 2),
                Whole(row.AllocatedBytesEach));
        }

        return table;
    }

    private static TextTable Peers(CodecReport report)
    {
        var table = new TextTable(
            "runtimes on some of the steps, 25 % trimmed mean", ["runtime", "codec"], "write ms", "read ms");
        var runs = report.Pythons.Select(python => (Runtime: python.Runtime.ToString(), python.Rows));
        foreach (var (runtime, rows) in report.Node is { } node ? runs.Append((node.Runtime, node.Rows)) : runs)
        {
            foreach (var row in rows)
            {
                table.Add(runtime, $"{row.Format}, {row.Library}", Fixed(row.Write.MeanMs, 3), Fixed(row.Read.MeanMs, 3));
            }
        }

        return table;
    }

    private static TextTable Goals(CodecReport report)
    {
        var table = new TextTable("goals", ["goal"], "wanted", "match", "worst case", "reached");
        foreach (var row in report.Goals)
        {
            table.Add(
                row.Name, $"{(row.AtLeast ? "≥" : "≤")} {Figure(row.Bound)}", Figure(row.Match), Figure(row.WorstCase),
                row.Reached switch { true => "yes", false => "no", null => "–" });
        }

        return table;

        static string Figure(double? value) => value is { } figure ? Invariant($"{figure:#,0.###}") : "–";
    }
}
