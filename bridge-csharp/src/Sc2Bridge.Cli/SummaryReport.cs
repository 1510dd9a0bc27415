using System.Globalization;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>The JSON report of a match: its description, how it ended, and its figures.</summary>
/// <param name="Match">The match's name.</param>
/// <param name="Map">The map's name.</param>
/// <param name="Simulated">True for the simulated game: the figures are not those of StarCraft II.</param>
/// <param name="GameVersion">The version that the game reports.</param>
/// <param name="Rate"><c>max</c>, <c>realtime</c> or steps per second.</param>
/// <param name="StepSize">Game loops in a step.</param>
/// <param name="Seed">The game's random seed.</param>
/// <param name="Ended">Why the match ended.</param>
/// <param name="Results">The result of each player, such as Victory, by player id.</param>
/// <param name="LastGameLoop">The game loop of the last observation.</param>
/// <param name="Seconds">The time from the first step to the end, in seconds.</param>
/// <param name="Runtime">The bridge's runtime.</param>
/// <param name="Figures">Bytes and latencies.</param>
/// <param name="Recording">The recording; null if nothing was recorded.</param>
/// <param name="Replayed">The recording that was played; null for a live match.</param>
internal sealed record MatchReport(
    string Match, string Map, bool Simulated, string GameVersion, string Rate, uint StepSize, uint Seed, string Ended,
    IReadOnlyDictionary<uint, string> Results, uint LastGameLoop, double Seconds, string Runtime, MatchSummary Figures,
    RecordingReport? Recording, string? Replayed)
{
    /// <summary>Whether the game failed, or the recording ends before its match. In both cases, the match has no result.</summary>
    public bool Aborted { get; init; }

    /// <summary>The time that the bridge added to the requests of bots behind the proxy; null without such bots.</summary>
    public IReadOnlyList<ProxyReport>? Proxy { get; init; }

    /// <summary>The figures of the publication; null if the match was not published.</summary>
    public PublishFigures? Publication { get; init; }

    /// <summary>The losses of logs and displays; empty if nothing was lost.</summary>
    public IReadOnlyList<LossReport> Losses { get; init; } = [];
}

/// <summary>The losses of a log or a display.</summary>
/// <param name="Of">The name of a file, or <c>codec log</c>, <c>console</c> and so on.</param>
/// <param name="Items">The number of lost rows, measurements or lines.</param>
/// <param name="Problem">Why the first item was lost.</param>
public sealed record LossReport(string Of, long Items, string Problem);

/// <summary>The time that the bridge added to the requests of a bot that played through the bridge.</summary>
/// <param name="Player">The player that the bot played or observed.</param>
/// <param name="Requests">The times for each kind of request.</param>
public sealed record ProxyReport(uint Player, IReadOnlyList<RequestDelay> Requests)
{
    /// <summary>One report for each bot of a match; null without bots.</summary>
    internal static IReadOnlyList<ProxyReport>? Of(IGameSource match)
    {
        var bots = match.Sides.OfType<ProxySource>().ToList();
        return bots.Count == 0
            ? null
            : [.. bots.Select(bot => new ProxyReport(bot.Description.Perspectives[0], bot.Delays))];
    }
}

/// <summary>The recording of a match.</summary>
/// <param name="File">The file's path.</param>
/// <param name="Figures">What the recording contains, and what it lost.</param>
internal sealed record RecordingReport(string File, RecordingFigures Figures);

/// <summary>Prints a match's figures as tables, and writes them as JSON.</summary>
internal static class SummaryReport
{
    internal static MatchReport Make(
        MatchDescription description, StepRate rate, MatchEnd end, TimeSpan duration, MatchSummary figures,
        RecordingReport? recording)
    {
        return new MatchReport(
            description.MatchId,
            description.MapName,
            description.Simulated,
            description.Ping?.GameVersion ?? "",
            rate.ToString(),
            description.StepSize,
            description.Seed,
            end.Words(),
            end.Results.ToDictionary(result => result.PlayerId, result => result.Result.ToString()),
            end.GameLoop,
            Math.Round(duration.TotalSeconds, 3),
            System.Runtime.InteropServices.RuntimeInformation.FrameworkDescription,
            figures,
            recording,
            description.Recording.Length > 0 ? description.Recording : null)
        {
            Aborted = end.Aborted,
        };
    }

    /// <summary>The game's name and version, in words.</summary>
    internal static string DescribeGame(MatchDescription description) =>
        description.Simulated ? "simulated" : $"StarCraft II {description.Ping?.GameVersion}";

    /// <summary>How a match ended, as a line.</summary>
    internal static string ToLine(SessionMatch.PlayedMatch played)
    {
        var (end, report, failed) = played;
        var results = string.Join(", ", end.Results.Select(result => $"player {result.PlayerId} {result.Result}"));
        return $"ended{(failed ? "" : $" ({end.Words()})")} at game loop {end.GameLoop} "
            + string.Create(
                CultureInfo.InvariantCulture, $"after {report.Figures.Steps} observations in {report.Seconds:0.0} s")
            + (results.Length > 0 ? $": {results}" : "");
    }

    internal static void Print(TerminalConsole console, MatchReport report)
    {
        foreach (var table in Tables(report).Where(table => table.Rows.Count > 0))
        {
            console.WriteLine();
            console.Write(table);
        }

        if (report.Rate == "max" && report.Figures.Agents.Count > 0)
        {
            console.WriteLine("At rate max, the delivery times include the time in the queue.");
        }

        if (report.Recording is { } recording)
        {
            console.WriteLine($"recording: {recording.File}, {Describe(recording.Figures)}");
        }

        if (report.Publication is { } published)
        {
            console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"published: match {published.Key} on {published.Broker}, {published.Bytes / 1e6:0.0} MB, "
                + $"{published.Confirmed} of {published.Published} observations confirmed")
                + (published.Missing > 0 ? $", {published.Missing} missing in {published.Gaps} gaps" : "")
                + (published.Waiting > 0 ? $", {published.Waiting} messages not published ({published.Problem})" : ""));
        }
    }

    /// <summary>Prints what logs and displays have lost.</summary>
    internal static void PrintLosses(TerminalConsole console, MatchReport report)
    {
        foreach (var loss in report.Losses)
        {
            console.WriteLine($"lost: {loss.Items} of {loss.Of} ({loss.Problem})");
        }
    }

    /// <summary>The tables with the most important columns. summary.json has all columns.</summary>
    internal static IEnumerable<TextTable> Tables(MatchReport report)
    {
        var game = report.Simulated ? "simulated" : $"StarCraft II {report.GameVersion}";
        var bytes = new TextTable(
            $"bytes a step ({game}; steps counts observations)", ["transport"], "steps", "mean KiB", "max KiB", "Mbit/s at 16 Hz", "at 22.4 Hz");
        foreach (var row in report.Figures.Transports)
        {
            bytes.AddRow(
                row.Transport, WholeNumber(row.Measured), OneDecimal(row.MeanBytes / 1024), OneDecimal(row.MaxBytes / 1024),
                OneDecimal(row.MbitAt16), OneDecimal(row.MbitAt22));
        }

        var codecs = new TextTable(
            $"codec latency ({game}; mean: 25 % trimmed)", ["codec", "where"], "steps", "mean ms", "max ms");
        foreach (var row in report.Figures.Codecs)
        {
            codecs.AddRow(row.Codec, "C#", WholeNumber(row.Measured), Ms(row.MeanUs), Ms(row.MaxUs));
        }

        foreach (var agent in report.Figures.Agents)
        {
            if (agent.Read is { } read)
            {
                codecs.AddRow(
                    agent.Transport == "ws.json" ? "JSON read" : "protobuf read", agent.Agent, WholeNumber(read.Measured),
                    Ms(read.MeanUs), Ms(read.MaxUs));
            }
        }

        var delivery = new TextTable($"delivery to agents ({game})", ["agent", "transport"], "p50 ms", "p99 ms");
        foreach (var agent in report.Figures.Agents)
        {
            delivery.AddRow(agent.Agent, agent.Transport, Ms(agent.DeliveryP50Us), Ms(agent.DeliveryP99Us));
        }

        var proxy = new TextTable(
            $"added to bots' requests ({game})", ["player", "request"], "count", "game p50 ms", "added p50 ms", "p99 ms",
            "max ms");
        foreach (var (player, row) in (report.Proxy ?? []).SelectMany(
            bot => bot.Requests.Select(row => (bot.Player, row))))
        {
            proxy.AddRow(
                WholeNumber(player), row.Request, WholeNumber(row.Count), Ms(row.GameP50Us), Ms(row.AddedP50Us), Ms(row.AddedP99Us),
                Ms(row.AddedMaxUs));
        }

        return [bytes, codecs, delivery, proxy];
    }

    private static string Describe(RecordingFigures recorded)
    {
        List<string> words =
        [
            string.Create(CultureInfo.InvariantCulture, $"{recorded.Bytes / 1e6:0.0} MB"),
            $"{recorded.Observations} observations",
        ];
        if (recorded.MissingObservations > 0)
        {
            words.Add($"{recorded.MissingObservations} missing in {recorded.Gaps} gaps");
        }

        if (recorded.LeftOutRequests > 0)
        {
            words.Add($"{recorded.LeftOutRequests} requests and actions left out, because their senders sent too many");
        }

        if (recorded.MissingRows > 0)
        {
            words.Add($"{recorded.MissingRows} other rows missing");
        }

        if (recorded.Problem is { } problem)
        {
            words.Add($"cut off ({problem})");
        }

        return string.Join(", ", words);
    }

    private static string WholeNumber(double value) => value.ToString("0", CultureInfo.InvariantCulture);

    private static string OneDecimal(double value) => value.ToString("0.0", CultureInfo.InvariantCulture);

    private static string Ms(double? microseconds) =>
        (microseconds / 1000)?.ToString("0.000", CultureInfo.InvariantCulture) ?? "–";
}
