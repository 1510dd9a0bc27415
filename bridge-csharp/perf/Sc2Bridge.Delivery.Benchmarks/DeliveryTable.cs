using System.Globalization;
using System.Text;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>Prints the delivery benchmark's results as a table that a page can hold.</summary>
internal static class DeliveryTable
{
    /// <summary>The whole report.</summary>
    public static string Write(DeliveryReport report)
    {
        var text = new StringBuilder();
        text.AppendLine(report.Machine.Text);

        text.AppendLine(
            CultureInfo.InvariantCulture, $"frames    {report.Frames}, {report.FrameBytes / 1024:0.0} KiB on average");
        text.AppendLine(CultureInfo.InvariantCulture,
            $"rounds    {report.Options.Rounds} of {report.Options.Frames} frames at {report.Options.Rate} a second "
            + $"and {report.Options.RoundTrips} lockstep round trips, the targets in turn");
        text.AppendLine();
        text.AppendLine(
            "| server | client | one way p50, µs (rounds) | p99, µs | p50 in times raw | in times its peer "
            + "| lockstep a second (rounds) | time in times raw | in times its peer |");
        text.AppendLine("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        var raw = report.Rows.Find(row => row.Peer is null && row.Name == "raw TCP");
        foreach (var row in report.Rows)
        {
            var peer = report.Rows.Find(other => other.Name == row.Peer);
            text.AppendLine(string.Join(" | ",
                $"| {row.Name}",
                row.Client,
                Rounds(row, round => round.P50, "0"),
                Rounds(row, round => round.P99, "0"),
                Ratio(row, raw, round => round.P50),
                Ratio(row, peer, round => round.P50),
                Rounds(row, round => round.RoundTripsPerSecond, "0"),
                Ratio(row, raw, round => 1 / round.RoundTripsPerSecond),
                Ratio(row, peer, round => 1 / round.RoundTripsPerSecond)) + " |");
        }

        if (report.Parse is { } parse)
        {
            text.AppendLine();
            text.AppendLine(CultureInfo.InvariantCulture,
                $"Parsing such a frame after receipt takes {parse.P50Ms:0.00} ms (p50), {parse.P99Ms:0.00} ms (p99): "
                + $"{parse.Runtime}.");
        }

        return text.ToString();
    }

    private static string Rounds(DeliveryRow row, Func<DeliveryRound, double?> figure, string format)
    {
        double[] values = [.. row.Rounds.Select(figure).OfType<double>()];
        if (values.Length == 0)
        {
            return "–";
        }

        var spread = Spread.Of(values);
        return $"{Text(spread.Median)} ({Text(spread.Least)}–{Text(spread.Most)})";

        string Text(double value) => value.ToString(format, CultureInfo.InvariantCulture);
    }

    // The ratio within each round, then the middle of those: what disturbs a round disturbs both.
    private static string Ratio(DeliveryRow row, DeliveryRow? peer, Func<DeliveryRound, double?> figure)
    {
        if (peer is null)
        {
            return "–";
        }

        double[] ratios =
            [.. row.Rounds.Zip(peer.Rounds, (own, other) => figure(own) / figure(other)).OfType<double>()];
        return ratios.Length == 0 ? "–" : Statistics.Median(ratios).ToString("0.00", CultureInfo.InvariantCulture);
    }
}
