using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>Collects what a session notices during a match, for its post-mortem.</summary>
internal sealed class FactCollector : IDisposable
{
    // A limit, because clients can cause any number. More are not needed to find the first problem.
    private const int MostTroubles = 1000;

    private readonly Hub _hub;
    private readonly PauseWatch _pauses;
    private readonly ProgressNote? _note;
    private readonly List<AgentTrouble> _troubles = [];
    private readonly HashSet<string> _completed = [];
    private readonly Dictionary<string, ulong> _reportedSteps = [];
    private readonly long _killsBefore = MemoryKills.Count;
    private volatile MatchRunner? _runner;

    /// <summary>Starts to listen.</summary>
    /// <param name="hub">The hub of the match.</param>
    /// <param name="folder">The match's folder, for a note of its progress; null for no note.</param>
    internal FactCollector(Hub hub, string? folder)
    {
        _hub = hub;
        _pauses = new PauseWatch(() => _runner?.Progress.GameLoop ?? 0);
        _note = folder is null ? null : new ProgressNote(folder, () => _runner?.Progress is { Frames: > 0 } progress ? progress.GameLoop : null);
        hub.Events.Troubled += OnTroubled;
        hub.Events.SubscriberLeft += OnLeft;
    }

    /// <summary>The facts so far.</summary>
    internal EndFacts Facts { get; } = new();

    /// <summary>Notes a match that has started.</summary>
    internal void NoteStart(MatchRunner runner, V1.MatchDescription description, StepRate rate)
    {
        _runner = runner;
        (Facts.Description, Facts.Rate) = (description, rate);
    }

    /// <summary>Notes how the match ended. Call this before the game is closed, because a bot that disconnects after that has not failed.</summary>
    internal void NoteEnd(MatchRunner runner, V1.MatchEnd end, IGameSource source)
    {
        (Facts.End, Facts.GameFailure) = (end, runner.Failure);
        NoteBots(source);
    }

    /// <summary>Notes what is known about the bots of a match. Also called if the match did not start.</summary>
    internal void NoteBots(IGameSource source) =>
        Facts.Bots = [.. source.Sides.OfType<ProxySource>().Where(bot => bot.Player is not null).Select(bot => new BotFacts(bot.Player!.Value, bot.Fault, bot.StepTimes))];

    /// <summary>Completes the facts after the match.</summary>
    /// <param name="agents">The started agents.</param>
    /// <param name="ct">Ends the waits. The facts may then lack the last events.</param>
    internal async Task<EndFacts> CompleteAsync(AgentProcesses agents, CancellationToken ct)
    {
        await Task.WhenAny(_hub.Events.FlushAsync(), Task.Delay(-1, ct));
        lock (_troubles)
        {
            Facts.Troubles = [.. _troubles];
            Facts.CompletedAgents = _completed.ToHashSet();
            Facts.ReportedSteps = _reportedSteps.ToDictionary();
        }

        Facts.Agents = await agents.CollectFactsAsync(
            [.. Facts.Troubles.Where(one => one.Kind is AgentTroubleKind.Left or AgentTroubleKind.EndedStream).Select(one => one.Agent)], ct);
        Facts.GameFailure ??= Facts.Error as GameException;
        Facts.Pauses = _pauses.Pauses;
        Facts.HasSystemRunOutOfMemory = MemoryKills.Count > _killsBefore;
        return Facts;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _hub.Events.Troubled -= OnTroubled;
        _hub.Events.SubscriberLeft -= OnLeft;
        _hub.Events.TimesReported -= OnTimesReported;
        _pauses.Dispose();
        _note?.Dispose();
    }

    private void OnLeft((string Agent, bool Completed) departed)
    {
        lock (_troubles)
        {
            if (departed.Completed && _completed.Count < MostTroubles)
            {
                _completed.Add(departed.Agent);
            }
        }
    }

    private void OnTroubled(AgentTrouble trouble)
    {
        lock (_troubles)
        {
            if (_troubles.Count < MostTroubles)
            {
                _troubles.Add(trouble);
            }

            // The reports show whether an agent recovered from a missed deadline. Without one, they are not needed.
            if (trouble.Kind == AgentTroubleKind.MissedDeadline)
            {
                _reportedSteps[trouble.Agent] = 0;
                _hub.Events.TimesReported -= OnTimesReported;
                _hub.Events.TimesReported += OnTimesReported;
            }
        }
    }

    private void OnTimesReported(TimesReport report)
    {
        lock (_troubles)
        {
            if (_reportedSteps.ContainsKey(report.Agent))
            {
                _reportedSteps[report.Agent] = report.Times.Step;
            }
        }
    }
}
