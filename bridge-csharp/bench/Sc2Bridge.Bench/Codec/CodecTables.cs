using static System.FormattableString;
using static Sc2Bridge.Bench.Output;

namespace Sc2Bridge.Bench;

/// <summary>Prints the results of <c>sc2bridge codec</c>: the advice, and each table's most important columns.</summary>
internal static class CodecTables
{
    internal static void Print(Output output, CodecReport report)
    {
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

    internal static IEnumerable<TextTable> Tables(CodecReport report) => [Codecs(report), Sizes(report)];

    private static TextTable Codecs(CodecReport report) => TableOf(
        "an observation over the match, 25 % trimmed mean",
        report.Codecs,
        ("codec", row => $"{row.Language} {row.Format}, {row.Library}"),
        ("write ms", row => Fixed(row.Write?.MeanMs, 3)),
        ("most ms", row => Fixed(row.Write?.MaxMs, 3)),
        ("read ms", row => Fixed(row.Read?.MeanMs, 3)),
        ("most ms", row => Fixed(row.Read?.MaxMs, 3)));

    private static TextTable Sizes(CodecReport report) => TableOf(
        "a message on a link; compressing pays below a link speed",
        report.Sizes,
        ("message", row => row.Compression == "none" ? row.Format : $"{row.Format}, {row.Compression}"),
        ("KiB", row => Kib(row.MeanBytes)),
        ("× fewer", row => Fixed(row.TimesFewer, 1)),
        ("pack ms", row => Fixed(row.CompressMs, 3)),
        ("unpack ms", row => Fixed(row.DecompressMs, 3)),
        ("pays below Mbit/s", row => Whole(row.PaysBelowMbit)));
}
