using System.Globalization;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Writes a row of <c>agents.csv</c> for every step that an agent reports its own times of: <c>delivered_us</c> from the
/// game's answer to the agent holding the message (empty where the agent's clock is not known to agree with the
/// bridge's, or the step is too long ago to be known), <c>decode_us</c> and <c>think_us</c>. A time that cannot be
/// (below zero, or longer than the frame has been there) is an empty cell. <c>actions</c> counts those that the agent
/// sent for the step, up to this report; empty where it only watches. A bot behind the proxy reports nothing: each of
/// its requests with actions is a row of the transport <c>api</c>, without times. Rows are written on a thread of their
/// own: what the disk does not take in time is lost and counted.
/// </summary>
public sealed class AgentLog : IDisposable
{
    private const string Columns = "step,agent,transport,delivered_us,decode_us,think_us,actions";

    private readonly Hub _hub;
    private readonly LogWriter _writer;
    private readonly MatchFigures _figures;

    /// <summary>Begins to listen.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="agents">Where the rows go; flushed after each. Not disposed here.</param>
    /// <param name="figures">Gets what the summary needs.</param>
    /// <param name="path">Told of rows that are lost; its name is the file's.</param>
    public AgentLog(Hub hub, TextWriter agents, MatchFigures figures, SidePath path)
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(figures);
        _hub = hub;
        _writer = new LogWriter(agents, path, hub.Memory);
        _figures = figures;
        _writer.Write(Columns + "\n");
        hub.Events.TimesReported += OnTimes;
        hub.Events.Acted += OnActed;
    }

    /// <summary>Stops listening, and writes what is queued.</summary>
    public void Dispose()
    {
        _hub.Events.FlushAsync().GetAwaiter().GetResult();
        _hub.Events.TimesReported -= OnTimes;
        _hub.Events.Acted -= OnActed;
        _writer.Dispose();
    }

    private void OnTimes(TimesReport report)
    {
        var times = CheckedTimes.Of(report, _hub.Perspectives);
        _figures.AddAgent(report.Agent, report.Transport, times.Delivered, times.Decode);
        Write(
            report.Times.Step, report.Agent, report.Transport, times.Delivered, times.Decode, times.Think, report.Actions);
    }

    private void OnActed(ActionReport report)
    {
        if (report.Passed)
        {
            var acted = report.Record;
            Write(acted.Step, acted.Agent, "api", null, null, null, report.Count);
        }
    }

    private void Write(
        ulong step, string agent, string transport, double? delivered, double? decode, double? think, int? actions)
    {
        _writer.Write(string.Create(
            CultureInfo.InvariantCulture,
            $"{step},{Cell(agent)},{Cell(transport)},{delivered:0.0},{decode:0.0},{think:0.0},{actions}\n"));
    }

    // Clients choose their names. A spreadsheet must not run one as a formula, and a quote keeps it from that.
    private static string Cell(string text)
    {
        var plain = text is ['=' or '+' or '-' or '@', ..] ? $"'{text}" : text;
        return plain.AsSpan().IndexOfAny(",\"") < 0
            ? plain
            : "\"" + plain.Replace("\"", "\"\"", StringComparison.Ordinal) + "\"";
    }
}
