using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The events of a hub about its agents, for code that runs, logs and records the match. They are raised in order on the
/// hub's own thread. The match does not wait for listeners and ignores their exceptions. Listeners run one after the other,
/// so each should return quickly.
/// </summary>
public sealed class HubEvents : IDisposable
{
    // Memory of an event in bytes, without its message.
    private const int EventOverheadBytes = 256;

    // How long to wait for listeners when the hub flushes events.
    private static readonly TimeSpan _flushTimeout = TimeSpan.FromSeconds(10);

    private readonly EventQueue _queue;

    // Two separate limits, so that notices about clients that only watch cannot use up the limit for agents that play.
    private readonly LimitedNotices _playerNotices;
    private readonly LimitedNotices _otherNotices;

    internal HubEvents(SidePath path, MemoryLedger memory, TimeProvider time)
    {
        (SidePath, _queue) = (path, new EventQueue(path, memory));
        (_playerNotices, _otherNotices) = (new LimitedNotices(time, Notice), new LimitedNotices(time, Notice));
    }

#pragma warning disable CA1003 // Listeners get plain values, so that no object is allocated for each event.
    /// <summary>An agent reported its times.</summary>
    public event Action<TimesReport>? TimesReported;

    /// <summary>One line for the person who runs the match, for example that an agent missed the lockstep deadline.</summary>
    public event Action<string>? Noticed;

    /// <summary>
    /// The last agent of a side has left, ended its stream, or was dropped while the match runs. Another agent may
    /// join. The event may be raised more than once.
    /// </summary>
    public event Action<uint>? SideAbandoned;

    /// <summary>
    /// A subscriber has left: its name, and whether its subscription completed. The subscription completes when the
    /// subscriber has read the last event. If an agent reports times, it must also have reported the times of the last step.
    /// </summary>
    public event Action<(string Agent, bool Completed)>? SubscriberLeft;

    /// <summary>An agent left before the end, was dropped, or missed a deadline.</summary>
    public event Action<AgentTrouble>? Troubled;

    /// <summary>An agent's request was answered or refused. Not raised if the agent cancelled the request.</summary>
    public event Action<AgentRequest>? RequestAnswered;

    /// <summary>
    /// The outcome of the actions of an agent, or of a bot behind the proxy, is known. A refusal is an outcome too.
    /// Raised after the outcome was queued for the agent.
    /// </summary>
    public event Action<ActionReport>? Acted;

    /// <summary>The step log has a new row.</summary>
    public event Action<LoggedStep>? StepLogged;
#pragma warning restore CA1003

    /// <summary>Counts the lost events, and the failures of listeners.</summary>
    public SidePath SidePath { get; }

    /// <summary>Waits until listeners have received every event so far.</summary>
    /// <returns>False if the wait takes more than ten seconds.</returns>
    public async Task<bool> FlushAsync()
    {
        var flushed = _queue.FlushAsync();
        return flushed.IsCompleted || await Task.WhenAny(flushed, Task.Delay(_flushTimeout)).ConfigureAwait(false) == flushed;
    }

    /// <summary>Raises <see cref="StepLogged"/>.</summary>
    /// <param name="step">The row.</param>
    internal void RaiseStepLogged(LoggedStep step) => Raise(StepLogged, step);

    /// <summary>Raises <see cref="Noticed"/> without a limit per minute.</summary>
    /// <param name="line">One clear line.</param>
    public void Notice(string line)
    {
        ArgumentNullException.ThrowIfNull(line);
        Raise(Noticed, line, 2 * line.Length);
    }

    /// <summary>Raises no more events.</summary>
    public void Dispose() => _queue.Dispose();

    internal void RaiseTimesReported(in TimesReport report) => Raise(TimesReported, report);

    internal void NoticeDropped(Subscription subscription, ulong step, string why) =>
        (subscription.Core.Request.CanAct ? _playerNotices : _otherNotices)
            .Add($"agent '{subscription.Name}' was dropped at step {step}: {why}");

    internal void NoticeLeft(Subscription subscription, uint side, ulong step, string how) =>
        _playerNotices.Add($"agent '{subscription.Name}', which played player {side}, {how} at step {step}");

    /// <summary>Reports how many notices were left out. Call it once a second.</summary>
    internal void ReportOmittedNotices(bool early = false)
    {
        _playerNotices.BeginMinuteIfDue(early);
        _otherNotices.BeginMinuteIfDue(early);
    }

    internal void RaiseTroubled(Subscription subscription, AgentTroubleKind kind, string detail = "", long waitedNs = 0) => Raise(
        Troubled,
        new AgentTrouble(
            subscription.Name, kind, detail, subscription.Side, subscription.State.Perspective ?? 0, subscription.WorkingStep, waitedNs),
        2 * detail.Length, isVital: true);

    internal void NoticeMissedDeadline(Subscription subscription, ulong step, TimeSpan deadline)
    {
        RaiseTroubled(subscription, AgentTroubleKind.MissedDeadline, waitedNs: (long)deadline.TotalNanoseconds);
        Notice(
            $"agent '{subscription.Name}' did not answer step {step} within {deadline.TotalSeconds:0.###} s: the match "
            + "continues, and waits for the agent again after its next answer (give it more time, or let it subscribe with POLICY_LATEST)");
    }

    internal void RaiseSubscriberLeft(Subscription subscription, bool completed) =>
        Raise(SubscriberLeft, (subscription.Name, completed), isVital: true);

    internal void RaiseSideAbandoned(uint side) => Raise(SideAbandoned, side, isVital: true);

    /// <summary>Called at a match's end: reports everything that was left out and not yet reported.</summary>
    internal void ReportOmitted(RequestBudget budget)
    {
        ReportOmittedNotices(early: true);
        foreach (var omitted in budget.TakeOmitted())
        {
            Raise(RequestAnswered, new AgentRequest(MonotonicClock.NowNs, omitted), omitted.CalculateSize());
        }
    }

    internal void RaiseRequested(RequestBudget budget, string session, long requestedNs, RequestRecord record)
    {
        if (budget.TryConsume(session, record, requestedNs))
        {
            Raise(RequestAnswered, new AgentRequest(requestedNs, record), record.CalculateSize());
        }
    }

    internal void RaiseActed(RequestBudget budget, AgentActions done)
    {
        var record = new ActionRecord
        {
            Step = done.Sent.Step,
            Agent = done.Sender.Name,
            Perspective = done.Perspective,
            Actions = { done.Sent.Actions_ },
            Outcome = done.Outcome,
        };
        RaiseActed(budget, done.Sender.SessionId, new ActionReport(done.RequestedNs, record), done.Sender.Core.Request.CanAct);
    }

    /// <summary>Reports actions of a bot behind the proxy, which is not a subscriber.</summary>
    internal void RaiseActed(RequestBudget budget, ActionReport report) => RaiseActed(budget, report.Record.Agent, report, mayAct: true);

    private void RaiseActed(RequestBudget budget, string session, ActionReport report, bool mayAct)
    {
        if (budget.TryConsume(session, report.Record, report.RequestedNs, mayAct))
        {
            Raise(Acted, report, report.Record.CalculateSize());
        }
    }

    // An event is queued separately for each listener. If one listener throws, the others still receive the event.
    private void Raise<T>(Action<T>? listeners, T value, int bytes = 0, bool isVital = false)
    {
        foreach (var listener in Delegate.EnumerateInvocationList(listeners))
        {
            _queue.Add(() => listener(value), EventOverheadBytes + bytes, isVital);
        }
    }
}
