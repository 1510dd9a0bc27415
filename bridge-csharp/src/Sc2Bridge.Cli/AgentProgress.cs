using System.Collections.Concurrent;
using System.Globalization;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>How far started agents are in a match: what they took, and what they said that they are done with.</summary>
internal sealed class AgentProgress : IDisposable
{
    private readonly Hub _hub;
    private readonly IReadOnlyCollection<string> _names;
    private readonly ConcurrentDictionary<string, (long Reports, ulong Step, uint Perspective)> _told = new();

    /// <summary>Begins to listen.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="names">The agents' names: other clients choose theirs, and could be any number.</param>
    internal AgentProgress(Hub hub, IReadOnlyCollection<string> names)
    {
        (_hub, _names) = (hub, names);
        hub.Events.TimesReported += Take;
    }

    /// <summary>Changes with each frame that an agent takes, is done with, or leaves.</summary>
    internal long Mark(string agent)
    {
        var state = _hub.Subscribers.FirstOrDefault(one => one.Name == agent);
        var reports = _told.TryGetValue(agent, out var told) ? told.Reports : 0;
        return state.Name is null ? -1 - reports : state.Delivered + reports;
    }

    /// <summary>What an agent has not come to, as the end of a sentence; empty where that is nothing, or unknown.</summary>
    internal string Unread(string agent)
    {
        if (!_told.TryGetValue(agent, out var told))
        {
            return "";
        }

        var newest = _hub.Perspectives.NewestStep(told.Perspective);
        return newest <= told.Step ? "" : string.Create(
            CultureInfo.InvariantCulture,
            $"; it was done with step {told.Step}, and not with the {newest - told.Step} behind it");
    }

    /// <inheritdoc/>
    public void Dispose() => _hub.Events.TimesReported -= Take;

    private void Take(TimesReport report)
    {
        if (_names.Contains(report.Agent))
        {
            _told.AddOrUpdate(
                report.Agent,
                static (_, now) => (1, now.Times.Step, now.Perspective),
                static (_, told, now) => (told.Reports + 1, now.Times.Step, now.Perspective),
                report);
        }
    }
}
