using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>What the tables come to, for somebody who reads nothing else.</summary>
internal static class SummaryText
{
    // Later than this share of frames, and a way is none to recommend.
    private const double MostLatePercent = 1;

    public static IReadOnlyList<string> Of(IReadOnlyList<ComparisonTable> tables, ILookup<string, MeasurementRun> runs)
    {
        var rows = tables.SelectMany(table => table.Rows).Where(row => row.Rounds > 0).ToList();
        var modes = rows.Where(row => row.Measurement == Measurement.Baseline with { Mode = row.Measurement.Mode })
            .DistinctBy(row => row.Measurement.Id).ToList();
        IEnumerable<string?> sentences = [Advice(modes, runs), Compressed(rows), Codec(modes)];
        return [.. sentences.OfType<string>()];
    }

    private static string? Advice(List<MeasurementRow> modes, ILookup<string, MeasurementRun> runs)
    {
        var fit = modes.Where(KeepsUp).OrderBy(row => row.Median(Figure.ParsedP50)).ToList();
        if (modes.Count < 2 || fit.Count == 0)
        {
            return modes.Count < 2 ? null : "On this machine no way kept up at 22.4 steps a second.";
        }

        var best = fit[0];
        var equal = fit.Skip(1).Where(IsNear).Select(row => row.Name).ToList();
        return $"On this machine, for this match and this agent, use {best.Name}"
            + (equal.Count > 0 ? $" ({string.Join(" and ", equal)} cannot be told from it)" : "")
            + $": a parsed observation {Time(best, Figure.ParsedP50)} after the game's answer (p50), "
            + $"{Time(best, Figure.ParsedP99)} at p99.";

        // No round has both, or chance explains what is between them.
        bool IsNear(MeasurementRow row) =>
            Ratio.Of(Figure.ParsedP50, runs[row.Measurement.Id], runs[best.Measurement.Id]) is not { WithinNoise: false };
    }

    private static string? Compressed(List<MeasurementRow> rows)
    {
        var plain = rows.Find(row => row.Measurement == Measurement.Baseline);
        var group = rows.Find(row => row.Measurement == Measurement.Baseline with { Packing = Packing.GroupZstd });
        return plain is null || group is null
            ? null
            : Invariant($"Over gRPC group zstd sends {plain.Median(Figure.Wire) / group.Median(Figure.Wire):0} times fewer ")
            + $"bytes; the time to a parsed observation is {group.RatioTo(RatioColumn.ParsedToBaseline)?.Text} times the "
            + "uncompressed one's.";
    }

    private static string? Codec(List<MeasurementRow> modes)
    {
        var known = modes.Where(row => row.Figures.ContainsKey(Figure.Codec.Key)).ToList();
        return known.Count < 2
            ? null
            : "Of the way from the game's answer to the parsed observation the codec takes (bridge's and agent's, in the "
            + "mean): " + string.Join("; ", known.Select(row =>
                Invariant($"{row.Name} {row.Median(Figure.Codec):0} % ({row.Median(Figure.Encode):0} and ")
                + Invariant($"{row.Median(Figure.Decode):0} µs)"))) + ".";
    }

    private static bool KeepsUp(MeasurementRow row) => !(row.Median(Figure.Misses) > MostLatePercent);

    private static string Time(MeasurementRow row, Figure figure) => Invariant($"{row.Median(figure) / 1000:0.00} ms");
}
