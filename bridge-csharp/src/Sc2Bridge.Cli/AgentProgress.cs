using System.Collections.Concurrent;
using System.Globalization;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>The progress of started agents in a match: the frames that they received, and the frames that they acknowledged.</summary>
internal sealed class AgentProgress : IDisposable
{
    private readonly Hub _hub;
    private readonly IReadOnlyCollection<string> _names;
    private readonly ConcurrentDictionary<string, (long Reports, ulong Step, uint Perspective)> _latestReports = new();

    /// <summary>Starts to collect the reports of the agents.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="names">The agents' names. Reports of other clients are ignored, because the number of clients has no limit.</param>
    internal AgentProgress(Hub hub, IReadOnlyCollection<string> names)
    {
        (_hub, _names) = (hub, names);
        hub.Events.TimesReported += OnTimesReported;
    }

    /// <summary>Returns a number that changes whenever the agent receives or acknowledges a frame, or disconnects.</summary>
    internal long ProgressMark(string agent)
    {
        var state = _hub.Subscribers.FirstOrDefault(one => one.Name == agent);
        var reports = _latestReports.TryGetValue(agent, out var latest) ? latest.Reports : 0;
        return state.Name is null ? -1 - reports : state.Delivered + reports;
    }

    /// <summary>The end of a sentence about the steps that an agent has not processed. Empty if the agent has processed all steps or reported none.</summary>
    internal string DescribeUnprocessed(string agent)
    {
        if (!_latestReports.TryGetValue(agent, out var latest))
        {
            return "";
        }

        var newest = _hub.Perspectives.NewestStep(latest.Perspective);
        return newest <= latest.Step ? "" : string.Create(
            CultureInfo.InvariantCulture,
            $"; it had processed step {latest.Step}, but not the {newest - latest.Step} newer steps");
    }

    /// <inheritdoc/>
    public void Dispose() => _hub.Events.TimesReported -= OnTimesReported;

    private void OnTimesReported(TimesReport report)
    {
        if (_names.Contains(report.Agent))
        {
            _latestReports.AddOrUpdate(
                report.Agent,
                static (_, now) => (1, now.Times.Step, now.Perspective),
                static (_, latest, now) => (latest.Reports + 1, now.Times.Step, now.Perspective),
                report);
        }
    }
}
