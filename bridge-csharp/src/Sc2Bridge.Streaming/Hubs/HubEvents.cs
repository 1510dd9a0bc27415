using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// A hub's events about its agents, for what runs, logs and records the match. Raised in order, on a thread of the
/// hub's own: the match does not wait for listeners, and goes on whatever they throw. Listeners run one after the
/// other, so each should return at once.
/// </summary>
public sealed class HubEvents : IDisposable
{
    // Bytes of memory of an event beside its message.
    private const int Overhead = 256;

    // How long listeners may take for the events before the end.
    private static readonly TimeSpan _lastEvents = TimeSpan.FromSeconds(10);

    private readonly EventQueue _queue;

    // Two limits: drops of clients that only watch cannot hide a drop of an agent that plays.
    private readonly LimitedNotices _ofPlayers;
    private readonly LimitedNotices _ofOthers;

    internal HubEvents(SidePath path, MemoryLedger memory, TimeProvider time)
    {
        (Path, _queue) = (path, new EventQueue(path, memory));
        (_ofPlayers, _ofOthers) = (new LimitedNotices(time, Notice), new LimitedNotices(time, Notice));
    }

#pragma warning disable CA1003 // Plain values: no object of its own for each.
    /// <summary>An agent reports what it measured.</summary>
    public event Action<TimesReport>? TimesReported;

    /// <summary>
    /// One clear line for the person who runs the match, such as: an agent missed the lockstep deadline.
    /// </summary>
    public event Action<string>? Noticed;

    /// <summary>
    /// The last agent that plays a side is gone (it left, ended its stream, or was dropped) while the match runs;
    /// another may come. May be raised more than once.
    /// </summary>
    public event Action<uint>? SideAbandoned;

    /// <summary>
    /// A subscriber is gone: its name, and whether its subscription completed. That of an agent that reports times
    /// completes with the times of the last step; any other, with the last event.
    /// </summary>
    public event Action<(string Agent, bool Completed)>? SubscriberLeft;

    /// <summary>An agent's request was answered or refused. Not raised where the agent gave up waiting.</summary>
    public event Action<AgentRequest>? Requested;

    /// <summary>
    /// The outcome of actions of an agent, or of a bot behind the proxy, is known (refused ones too). Raised after the
    /// agent was notified.
    /// </summary>
    public event Action<ActionReport>? Acted;

    /// <summary>The step log has a row.</summary>
    public event Action<LoggedStep>? StepLogged;
#pragma warning restore CA1003

    /// <summary>Counts the events that were lost, and the failures of those who listen.</summary>
    public SidePath Path { get; }

    /// <summary>Waits until listeners have received every event so far.</summary>
    /// <returns>False where that took more than ten seconds.</returns>
    public async Task<bool> FlushAsync()
    {
        var told = _queue.FlushAsync();
        return told.IsCompleted || await Task.WhenAny(told, Task.Delay(_lastEvents)).ConfigureAwait(false) == told;
    }

    /// <summary>Raises <see cref="StepLogged"/>.</summary>
    /// <param name="step">The row.</param>
    internal void Log(LoggedStep step) => Raise(StepLogged, step);

    /// <summary>Raises <see cref="Noticed"/> about a client that is not a subscriber.</summary>
    /// <param name="line">One clear line.</param>
    public void Notice(string line)
    {
        ArgumentNullException.ThrowIfNull(line);
        Raise(Noticed, line, 2 * line.Length);
    }

    /// <summary>Raises no more events.</summary>
    public void Dispose() => _queue.Dispose();

    internal void Report(in TimesReport report) => Raise(TimesReported, report);

    internal void Dropped(Subscription subscription, ulong step, string why) =>
        (subscription.Core.Request.CanAct ? _ofPlayers : _ofOthers)
            .Add($"agent '{subscription.Name}' was dropped at step {step}: {why}");

    internal void Left(Subscription subscription, uint side, ulong step, string how) =>
        _ofPlayers.Add($"agent '{subscription.Name}', which played player {side}, {how} at step {step}");

    /// <summary>Reports how many agents had no line of their own; to be called once a second.</summary>
    internal void CountNotices(bool early = false)
    {
        _ofPlayers.BeginMinute(early);
        _ofOthers.BeginMinute(early);
    }

    internal void MissedDeadline(Subscription subscription, ulong step, TimeSpan deadline) => Notice(
        $"agent '{subscription.Name}' did not answer step {step} within {deadline.TotalSeconds:0.###} s: the match "
        + "goes on and waits for it again once it answers (give it more time, or let it subscribe with POLICY_LATEST)");

    internal void SubscriberHasLeft(Subscription subscription, bool completed) =>
        Raise(SubscriberLeft, (subscription.Name, completed), isVital: true);

    internal void Abandon(uint side) => Raise(SideAbandoned, side, isVital: true);

    /// <summary>A match ends: what was left out and not told yet is told.</summary>
    internal void End(RequestBudget budget)
    {
        CountNotices(early: true);
        foreach (var rest in budget.Rest())
        {
            Raise(Requested, new AgentRequest(MonotonicClock.NowNs, rest), rest.CalculateSize());
        }
    }

    internal void Answered(RequestBudget budget, string session, long requestedNs, RequestRecord record)
    {
        if (budget.Take(session, record, requestedNs))
        {
            Raise(Requested, new AgentRequest(requestedNs, record), record.CalculateSize());
        }
    }

    internal void Act(RequestBudget budget, AgentActions done)
    {
        var record = new ActionRecord
        {
            Step = done.Sent.Step,
            Agent = done.Sender.Name,
            Perspective = done.Perspective,
            Actions = { done.Sent.Actions_ },
            Outcome = done.Result,
        };
        Act(budget, done.Sender.SessionId, new ActionReport(done.RequestedNs, record), done.Sender.Core.Request.CanAct);
    }

    /// <summary>The same for actions of a bot behind the proxy, which are not of a subscriber.</summary>
    internal void Act(RequestBudget budget, ActionReport passed) => Act(budget, passed.Record.Agent, passed, mayAct: true);

    private void Act(RequestBudget budget, string session, ActionReport report, bool mayAct)
    {
        if (budget.Take(session, report.Record, report.RequestedNs, mayAct))
        {
            Raise(Acted, report, report.Record.CalculateSize());
        }
    }

    // Queued for each listener: where one throws, the others still receive the event.
    private void Raise<T>(Action<T>? listeners, T what, int bytes = 0, bool isVital = false)
    {
        foreach (var listener in Delegate.EnumerateInvocationList(listeners))
        {
            _queue.Add(() => listener(what), Overhead + bytes, isVital);
        }
    }
}
