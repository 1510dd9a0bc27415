using System.Globalization;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Writes a row of <c>agents.csv</c> for every step whose times an agent reports. <c>delivered_us</c> is the time from
/// the game's answer until the agent has the message. It is empty if the agent's clock is not known to agree with the
/// bridge's, or if the step is too old. <c>decode_us</c> and <c>think_us</c> are the agent's own times. An impossible
/// time (negative, or longer than the time since the frame was observed) gives an empty cell. <c>actions</c> counts the
/// actions for this step that the agent sent before the report; it is empty if the agent only watches. A bot behind the
/// proxy reports no times: each of its action requests is a row with transport <c>api</c>. Rows are written on a
/// separate thread. Rows that the disk does not accept in time are lost and counted.
/// </summary>
public sealed class AgentLog : IDisposable
{
    private const string Columns = "step,agent,transport,delivered_us,decode_us,think_us,actions";

    private readonly Hub _hub;
    private readonly LogWriter _writer;
    private readonly MatchFigures _figures;

    /// <summary>Starts to listen to the hub's events.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="agents">The output for the rows; flushed after each row. The caller disposes it.</param>
    /// <param name="figures">Collects the figures of the summary.</param>
    /// <param name="path">Counts lost rows, and has the name of the file.</param>
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

    /// <summary>Stops listening, and writes the queued rows.</summary>
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

    // Clients choose their names, so a name must not be a spreadsheet formula. A leading apostrophe prevents that.
    private static string Cell(string text)
    {
        var plain = text is ['=' or '+' or '-' or '@', ..] ? $"'{text}" : text;
        return plain.AsSpan().IndexOfAny(",\"") < 0
            ? plain
            : "\"" + plain.Replace("\"", "\"\"", StringComparison.Ordinal) + "\"";
    }
}
