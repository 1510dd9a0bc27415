using static System.FormattableString;
using static Sc2Bridge.Bench.Output;

namespace Sc2Bridge.Bench;

/// <summary>Prints what <c>sc2bridge codec</c> measured: the advice, and of each table the columns that decide.</summary>
internal static class CodecTables
{
    internal static void Print(TerminalConsole console, CodecReport report)
    {
        var output = new Output(console);
        foreach (var sentence in Advice(report))
        {
            output.Line(sentence);
        }

        output.Line("");
        var runtimes = report.Pythons.Select(python => ("runtime", $"{python}"));
        output.Facts([.. report.Machine.Facts(), .. runtimes, ("match", report.Match)]);
        foreach (var table in Tables(report))
        {
            output.Table(table);
        }
    }

    private static IEnumerable<string> Advice(CodecReport report)
    {
        foreach (var language in report.Codecs.Where(row => row.Read is not null).GroupBy(row => row.Language))
        {
            var best = language.MinBy(row => row.Read!.MeanMs)!;
            var worst = language.MaxBy(row => row.Read!.MeanMs)!;
            yield return Invariant($"In {language.Key} read {best.Format} ({best.Library}): {best.Read!.MeanMs:0.00} ms an ")
                + Invariant($"observation; {worst.Format} by {worst.Library} takes {worst.Read!.MeanMs:0.00} ms.");
        }

        if (report.Sizes.Where(row => row.CompressMs is not null).MinBy(row => row.MeanBytes) is { } least)
        {
            yield return Invariant($"On a link slower than {least.PaysBelowMbit:0} Mbit/s take {least.Compression} of ")
                + Invariant($"{least.Format}: {least.TimesFewer:0.0} times fewer bytes for {least.CompressMs:0.00} ms.");
        }
    }

    internal static IEnumerable<TextTable> Tables(CodecReport report) =>
        [Codecs(report), Sizes(report)];

    private static TextTable Codecs(CodecReport report)
    {
        var table = new TextTable(
            "an observation over the match, 25 % trimmed mean", ["codec"], "write ms", "most ms", "read ms", "most ms");
        foreach (var row in report.Codecs)
        {
            table.Add(
                $"{row.Language} {row.Format}, {row.Library}", Fixed(row.Write?.MeanMs, 3), Fixed(row.Write?.MaxMs, 3),
                Fixed(row.Read?.MeanMs, 3), Fixed(row.Read?.MaxMs, 3));
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
}
