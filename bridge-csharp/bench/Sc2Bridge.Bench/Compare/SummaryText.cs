using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>The conclusions from the tables, for a reader who reads nothing else.</summary>
internal static class SummaryText
{
    // A transport with a larger share of late frames is not recommended.
    private const double MostLatePercent = 1;

    // To replace the default, a transport must take less than this part of the default's time in every round.
    private const double ClearlySooner = 0.9;

    public static IReadOnlyList<string> Of(IReadOnlyList<ComparisonTable> tables, ILookup<string, MeasurementRun> runs)
    {
        var rows = tables.SelectMany(table => table.Rows).Where(row => row.Rounds > 0).ToList();
        var modes = rows.Where(row => row.Measurement == Measurement.Baseline with { Mode = row.Measurement.Mode })
            .DistinctBy(row => row.Measurement.Id).ToList();
        var ways = tables.Where(table => table.AreWays).SelectMany(table => table.Rows.Where(row => row.Rounds > 0)
            .GroupBy(row => row.Measurement.Rate)
            .Select(group => Advice(
                Invariant($"For {table.Name[ComparisonPlan.WaysTo.Length..]} at {group.Key} a second"), [.. group], runs)));
        string?[] advice = [.. ways.OfType<string>()];
        IEnumerable<string?> sentences =
        [
            advice.Length > 0 ? string.Join('\n', advice) : Advice("On this machine, for this match and this agent", modes, runs),
            Compressed(rows),
            Codec(modes),
        ];
        return [.. sentences.OfType<string>()];
    }

    // The default, unless another transport is clearly better. Otherwise chance would choose another one in each run.
    private static string? Advice(string where, List<MeasurementRow> rows, ILookup<string, MeasurementRun> runs)
    {
        var fit = rows.Where(KeepsUp).OrderBy(row => row.Median(Figure.ParsedP50)).ToList();
        if (rows.Count < 2 || fit.Count == 0)
        {
            return rows.Count < 2 ? null : $"{where}: no way kept up.";
        }

        var usual = rows.Find(row => row.Measurement.Mode == Mode.Memory) ?? rows.Find(row =>
            row.Measurement.Mode == Mode.Binary && row.Measurement.LinkMbit > 0 == (row.Measurement.Packing == Packing.GroupZstd));
        var best = usual is not null && fit.Contains(usual) && !IsClear(fit[0], usual) ? usual : fit[0];
        return $"{where}: use "
            + (usual is null ? Name(best)
                : best == usual ? $"the default, {Name(best)}"
                : $"{Name(best)} instead of the default, {Name(usual)}")
            + $": a parsed observation {Time(best, Figure.ParsedP50)} after the game's answer (p50), "
            + $"{Time(best, Figure.ParsedP99)} at p99.";

        static string Name(MeasurementRow row) => (row.Measurement with { Subscribers = 1, LinkMbit = 0 }).Name;

        bool IsClear(MeasurementRow row, MeasurementRow other) =>
            Ratio.Of(Figure.ParsedP50, runs[row.Measurement.Id], runs[other.Measurement.Id])
                is { Rounds: >= Ratio.FewestRounds, Most: < ClearlySooner };
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
