using System.Globalization;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Writes a row of <c>agents.csv</c> for every step that an agent reports its own times of: <c>delivered_us</c> from
/// the
/// game's answer to the agent holding the message (empty where the agent's clock is not known to agree with the
/// bridge's, or the step is too long ago to be known), <c>decode_us</c> and <c>think_us</c>.
/// </summary>
public sealed class AgentLog : IDisposable
{
    private const string Columns = "step,agent,transport,delivered_us,decode_us,think_us";
    private readonly Hub _hub;
    private readonly LogWriter _writer;
    private readonly MatchFigures _figures;

    /// <summary>Begins to listen.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="agents">Where the rows go; flushed after each. Not disposed here.</param>
    /// <param name="figures">Gets what the summary needs.</param>
    /// <param name="failed">Gets one clear line when the log cannot be written (disk full); the match can go
    /// on.</param>
    public AgentLog(Hub hub, TextWriter agents, MatchFigures figures, Action<string> failed)
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(agents);
        ArgumentNullException.ThrowIfNull(figures);
        ArgumentNullException.ThrowIfNull(failed);
        _hub = hub;
        _writer = new LogWriter(agents, "agents.csv", failed);
        _figures = figures;
        _writer.Write(Columns, static (columns, to) => to.Write(columns + "\n"));
        hub.TimesReported += OnTimes;
    }

    /// <summary>Listens no more.</summary>
    public void Dispose() => _hub.TimesReported -= OnTimes;

    private void OnTimes(string agent, string transport, StepTimes times)
    {
        var known = times.HasReceivedNs && times.Clock != ClockSource.Unspecified;
        var delivered = known && _hub.ArrivedNs(times.Step) is { } arrived
            ? (times.ReceivedNs - arrived) / 1000.0
            : (double?)null;
        var decode = times.HasDecodeNs ? times.DecodeNs / 1000.0 : (double?)null;
        var think = times.HasThinkNs ? times.ThinkNs / 1000.0 : (double?)null;
        _figures.AddAgent(agent, transport, delivered, decode);
        var row = string.Create(
            CultureInfo.InvariantCulture,
            $"{times.Step},{Cell(agent)},{Cell(transport)},{delivered:0.0},{decode:0.0},{think:0.0}\n");
        _writer.Write(row, static (row, to) => to.Write(row));
    }

    private static string Cell(string text) => text.AsSpan().IndexOfAny(",\"\r\n") < 0
        ? text
        : "\"" + text.Replace("\"", "\"\"", StringComparison.Ordinal) + "\"";
}
