using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// What a hub tells of its agents to those who run, log and record the match. Raised on a thread of the hub's own, in the
/// order in which it happened: the match does not wait for those who listen, and goes on whatever they throw. They wait
/// for each other; take it and return.
/// </summary>
public sealed class HubEvents : IDisposable
{
    // What an event takes beside its message.
    private const int Overhead = 256;

    // How long those who listen may take what happened before the end.
    private static readonly TimeSpan _lastEvents = TimeSpan.FromSeconds(10);

    private readonly EventQueue _queue;

    internal HubEvents(SidePath path) => (Path, _queue) = (path, new EventQueue(path));

#pragma warning disable CA1003 // Plain values: no object of its own for each.
    /// <summary>An agent reports what it measured.</summary>
    public event Action<TimesReport>? TimesReported;

    /// <summary>
    /// One clear line for the person who runs the match, such as: an agent missed the lockstep deadline.
    /// </summary>
    public event Action<string>? Noticed;

    /// <summary>
    /// The last agent that plays a side is gone (it left, says nothing any more, or was dropped) while the match runs;
    /// another may come. May be raised more than once.
    /// </summary>
    public event Action<uint>? Deserted;

    /// <summary>
    /// A subscriber is gone: its name, and whether it has received all of its subscription. One that reports its times
    /// has when it has reported those of the last step; any other, when it was given the last event.
    /// </summary>
    public event Action<(string Agent, bool Completed)>? Departed;

    /// <summary>An agent's request was answered or refused. Not raised where the agent gave up waiting.</summary>
    public event Action<AgentRequest>? Requested;

    /// <summary>
    /// It is known what became of the actions of an agent, or of a bot behind the proxy, refused ones too; it was told
    /// before.
    /// </summary>
    public event Action<ActionReport>? Acted;
#pragma warning restore CA1003

    /// <summary>Counts the events that were lost, and the failures of those who listen.</summary>
    public SidePath Path { get; }

    /// <summary>Waits until those who listen have heard what happened so far.</summary>
    /// <returns>False where they have not within ten seconds.</returns>
    public async Task<bool> FlushAsync()
    {
        var told = _queue.FlushAsync();
        return told.IsCompleted || await Task.WhenAny(told, Task.Delay(_lastEvents)).ConfigureAwait(false) == told;
    }

    /// <summary>Tells what somebody did past the hub, as agents' acts are told.</summary>
    /// <param name="report">Who, what, and what became of it.</param>
    public void Act(ActionReport report) => Raise(Acted, report, report.Record.CalculateSize());

    /// <summary>Tells the person who runs the match something of a client that is no subscriber.</summary>
    /// <param name="line">One clear line.</param>
    public void Notice(string line)
    {
        ArgumentNullException.ThrowIfNull(line);
        Raise(Noticed, line, 2 * line.Length);
    }

    /// <summary>Nobody is told anything any more.</summary>
    public void Dispose() => _queue.Dispose();

    internal void Report(in TimesReport report) => Raise(TimesReported, report);

    internal void Dropped(Subscription subscription, ulong step, string why) =>
        Notice($"agent '{subscription.Name}' was dropped at step {step}: {why}");

    internal void Left(Subscription subscription, uint side, ulong step, string how) =>
        Notice($"agent '{subscription.Name}', which played player {side}, {how} at step {step}");

    internal void MissedDeadline(Subscription subscription, ulong step, TimeSpan deadline) => Notice(
        $"agent '{subscription.Name}' did not answer step {step} within {deadline.TotalSeconds:0.###} s: the match "
        + "goes on and waits for it again once it answers (give it more time, or let it subscribe with POLICY_LATEST)");

    internal void Depart(Subscription subscription, bool completed) =>
        Raise(Departed, (subscription.Name, completed));

    internal void Desert(uint side) => Raise(Deserted, side);

    internal void Answered(long requestedNs, RequestRecord record) =>
        Raise(Requested, new AgentRequest(requestedNs, record), record.CalculateSize());

    internal void Act(AgentActions done) => Act(new ActionReport(
        done.RequestedNs,
        new ActionRecord
        {
            Step = done.Sent.Step,
            Agent = done.Sender.Name,
            Perspective = done.Perspective,
            Actions = { done.Sent.Actions_ },
            Outcome = done.Result,
        }));

    // Each on its own: where one throws, the others hear of it all the same.
    private void Raise<T>(Action<T>? listeners, T what, int bytes = 0)
    {
        foreach (var listener in Delegate.EnumerateInvocationList(listeners))
        {
            _queue.Add(() => listener(what), Overhead + bytes);
        }
    }
}
