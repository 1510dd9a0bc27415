using Sc2Bridge.V1;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>What the tables come to, for somebody who reads nothing else.</summary>
internal static class SummaryText
{
    // Later than this share of frames, and a way is none to recommend.
    private const double MostLatePercent = 1;

    /// <param name="tables">What is told of.</param>
    /// <param name="runs">Every run of every measurement.</param>
    public static IReadOnlyList<string> Of(IReadOnlyList<ComparisonTable> tables, ILookup<string, MeasurementRun> runs)
    {
        var rows = tables.SelectMany(table => table.Rows).Where(row => row.Rounds > 0).ToList();
        List<string?> sentences = [Advice(rows, runs)];
        foreach (var rate in rows.Select(row => row.Measurement.Rate).Where(rate => rate > 0).Distinct().Order())
        {
            sentences.Add(Modes(rows, rate));
        }

        sentences.Add(Compressed(rows));
        sentences.Add(Codec(rows));
        sentences.Add(Yardsticks(rows));
        sentences.Add(StockFormatter(rows));
        sentences.Add(Polled(rows));
        sentences.AddRange(Crowds(rows));
        sentences.AddRange(Links(rows));
        return [.. sentences.OfType<string>()];
    }

    private static string? Advice(List<MeasurementRow> rows, ILookup<string, MeasurementRun> runs)
    {
        var modes = Plainly(rows, Measurement.GameRate);
        var fit = modes.Where(row => !(row.Median(Figure.Misses) > MostLatePercent))
            .OrderBy(row => row.Median(Figure.ParsedP50)).ToList();
        if (modes.Count < 2 || fit.Count == 0)
        {
            return modes.Count < 2 ? null : "On this machine no way kept up at 22.4 steps a second.";
        }

        var best = fit[0];
        var equal = fit.Skip(1).Where(IsNear).Select(row => row.Measurement.Name).ToList();
        return $"On this machine, for this match and this agent, use {best.Measurement.Name}"
            + (equal.Count > 0 ? $" ({string.Join(" and ", equal)} cannot be told from it)" : "")
            + Invariant($": a parsed observation {Time(best, Figure.ParsedP50)} after the game's answer (p50), ")
            + Invariant($"{Time(best, Figure.ParsedP99)} at p99.");

        // No round has both, or chance explains what is between them.
        bool IsNear(MeasurementRow row) =>
            Ratio.Of(Figure.ParsedP50, runs[row.Measurement.Id], runs[best.Measurement.Id]) is not { WithinNoise: false };
    }

    private static string? Modes(List<MeasurementRow> rows, double rate)
    {
        var modes = Plainly(rows, rate);
        return modes.Count < 2
            ? null
            : Invariant($"At {rate} steps a second, held and parsed (p50): ")
            + string.Join("; ", modes.Select(row =>
                Invariant($"{row.Measurement.Name} {Time(row, Figure.HeldP50)} and {Time(row, Figure.ParsedP50)}, ")
                + Invariant($"{row.Median(Figure.Mbit):0.0} Mbit/s, bridge {row.Median(Figure.SenderCpu):0.0} % ")
                + Invariant($"and agent {row.Median(Figure.AgentCpu):0.0} % of a core"))) + ".";
    }

    private static string? Compressed(List<MeasurementRow> rows)
    {
        var plain = rows.Find(row => row.Measurement == Measurement.Baseline);
        var group = rows.Find(row => row.Measurement == Measurement.Baseline with { Packing = Packing.GroupZstd });
        if (plain is null || group is null)
        {
            return null;
        }

        var fewer = plain.Median(Figure.Wire) / group.Median(Figure.Wire);
        return Invariant($"Over gRPC group zstd sends {fewer:0} times fewer bytes; the time to a parsed observation ")
            + $"is {group.ParsedToBaseline?.Text} times the uncompressed one's.";
    }

    private static string? Yardsticks(List<MeasurementRow> rows)
    {
        var known = Plainly(rows, Measurement.GameRate)
            .Where(row => row is { HeldToBare: not null, Measurement.Mode: not Mode.Json }).ToList();
        return known.Count == 0
            ? null
            : "The message in the agent's hands, in times a bare handler on the same server, and in times raw TCP: "
            + string.Join("; ", known.Select(row =>
                $"{row.Measurement.Name} {row.HeldToBare!.Text} and {row.HeldToRaw?.Text ?? "–"}")) + ".";
    }

    private static string? Codec(List<MeasurementRow> rows)
    {
        var known = Plainly(rows, Measurement.GameRate).Where(row => row.Figures.ContainsKey(Figure.Codec.Key)).ToList();
        return known.Count < 2
            ? null
            : "Of the way from the game's answer to the parsed observation the codec takes (bridge's and agent's, in the "
            + "mean): " + string.Join("; ", known.Select(row =>
                Invariant($"{row.Measurement.Name} {row.Median(Figure.Codec):0} % ({row.Median(Figure.Encode):0} and ")
                + Invariant($"{row.Median(Figure.Decode):0} µs)"))) + ".";
    }

    private static string? StockFormatter(List<MeasurementRow> rows) =>
        rows.Find(row => row.Measurement == Measurement.Baseline with { Mode = Mode.Json } && row.CpuToBare is not null) is { } json
            ? $"The bridge's processor time for {json.Measurement.Name} is {json.CpuToBare!.Text} times that of a bare handler "
            + "with Google.Protobuf's JsonFormatter."
            : null;

    // Without a bridge there is no way from the game to it, which these times do not have either.
    private static string? Polled(List<MeasurementRow> rows)
    {
        var polled = rows.Find(row => row.Measurement is { Sender: Sender.Game, Policy: Policy.Every });
        var known = rows.Where(row => row is { ParsedToPolled: not null, Measurement.Packing: Packing.None }
            && row.Measurement == Measurement.Baseline with { Mode = row.Measurement.Mode, Python = row.Measurement.Python })
            .DistinctBy(row => row.Measurement.Id).ToList();
        return polled is null || known.Count == 0
            ? null
            : "Without a bridge python-sc2's client holds a parsed observation "
            + $"{Time(polled, Figure.ParsedP50)} after the game's answer; through the bridge it is, in times that: "
            + string.Join("; ", known.Select(row => $"{row.Measurement.Name} {row.ParsedToPolled!.Text}")) + ".";
    }

    private static IEnumerable<string> Crowds(List<MeasurementRow> rows)
    {
        // In protobuf, which is what raw TCP sends too.
        var crowds = rows.Where(row => row.Measurement is { Sender: Sender.Bridge, Mode: not Mode.Json }
            && row.Figures.ContainsKey(Figure.ReadersCpu.Key))
            .DistinctBy(row => row.Measurement.Id).ToList();
        var most = crowds.Select(row => row.Measurement.Subscribers).DefaultIfEmpty().Max();
        return crowds.Where(row => row.Measurement.Subscribers == most).Select(row =>
            Invariant($"{row.Measurement.Name} of {row.Median(Figure.Wire):0} KiB a frame at {row.Measurement.RateText} a second take ")
            + Invariant($"{row.Median(Figure.SenderCpu):0.0} % of a core for the bridge")
            + (row.CpuToRaw is { } raw ? $", {raw.Text} times what raw TCP takes" : "")
            + Invariant($"; the readers receive within {Time(row, Figure.ReadersHeldP99)} at p99 and take ")
            + Invariant($"{row.Median(Figure.ReadersCpu):0.0} %."));
    }

    private static IEnumerable<string> Links(List<MeasurementRow> rows)
    {
        foreach (var link in rows.Where(row => row.Measurement.LinkMbit > 0).DistinctBy(row => row.Measurement.Id)
            .GroupBy(row => row.Measurement.LinkMbit).OrderBy(group => group.Key))
        {
            var every = link.Where(row => row.Measurement.Policy == Policy.Every).ToList();
            var keeps = every.Where(row => !(row.Median(Figure.Misses) > MostLatePercent)).Select(Short).ToList();
            var behind = every.Where(row => row.Median(Figure.Misses) > MostLatePercent).ToList();
            yield return Invariant($"Over a link of {link.Key} Mbit/s ")
                + (keeps.Count > 0 ? $"these keep up: {string.Join("; ", keeps)}" : "none keeps up")
                + (behind.Count > 0
                    ? ". These fall behind: " + string.Join("; ", behind.Select(row => $"{Short(row)} ({Behind(row)})"))
                    : "") + ".";
        }

        static string Short(MeasurementRow row) => (row.Measurement with { LinkMbit = 0 }).Name;

        static string Behind(MeasurementRow row) =>
            row.Figures.ContainsKey(Figure.ParsedP50.Key) ? $"{Time(row, Figure.ParsedP50)} at p50" : "none is received";
    }

    // Uncompressed, whole, to one agent of the baseline's kind.
    private static List<MeasurementRow> Plainly(List<MeasurementRow> rows, double rate) =>
    [
        .. rows.Where(row => row.Measurement == Measurement.Baseline with { Mode = row.Measurement.Mode, Rate = rate })
            .DistinctBy(row => row.Measurement.Id),
    ];

    private static string Time(MeasurementRow row, Figure figure) => row.Median(figure) switch
    {
        double.NaN => "none received",
        >= 1e6 and var us => Invariant($"{us / 1e6:0.0} s"),
        var us => Invariant($"{us / 1000:0.00} ms"),
    };
}
