using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// What a hub tells of its agents to those who run, log and record the match. Raised on the thread that heard of it:
/// take it and return.
/// </summary>
public sealed class HubEvents
{
    internal HubEvents()
    {
    }

#pragma warning disable CA1003 // Plain values, raised for every step of every agent: no object for each.
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
    /// A subscriber is gone: its name, and whether it has heard its subscription out. One that reports its times has when
    /// it has reported those of the last step; any other, when it was given the last event.
    /// </summary>
    public event Action<string, bool>? Departed;

    /// <summary>An agent's request was answered or refused. Not raised where the agent gave up waiting.</summary>
    public event Action<AgentRequest>? Requested;

    /// <summary>
    /// It is known what became of the actions of an agent, or of a bot behind the proxy, refused ones too; it was told
    /// before.
    /// </summary>
    public event Action<ActionReport>? Acted;
#pragma warning restore CA1003

    /// <summary>Tells what somebody did past the hub, as agents' acts are told.</summary>
    /// <param name="deed">Who, what, and what became of it.</param>
    public void Act(ActionReport deed) => Acted?.Invoke(deed);

    /// <summary>Tells the person who runs the match something of a client that is no subscriber.</summary>
    /// <param name="line">One clear line.</param>
    public void Notice(string line) => Noticed?.Invoke(line);

    internal void Report(Subscription subscription, uint perspective, StepTimes times, int? actions) =>
        TimesReported?.Invoke(
            new TimesReport(subscription.Name, subscription.Info.Transport, perspective, times, actions));

    internal void Dropped(Subscription subscription, ulong step, string why) =>
        Noticed?.Invoke($"agent '{subscription.Name}' was dropped at step {step}: {why}");

    internal void Left(Subscription subscription, uint side, ulong step, string how) =>
        Noticed?.Invoke($"agent '{subscription.Name}', which played player {side}, {how} at step {step}");

    internal void MissedDeadline(Subscription subscription, ulong step, TimeSpan deadline) => Noticed?.Invoke(
        $"agent '{subscription.Name}' did not answer step {step} within {deadline.TotalSeconds:0.###} s: the match "
        + "goes on and waits for it again once it answers (give it more time, or let it subscribe with POLICY_LATEST)");

    internal void Depart(Subscription subscription, bool heardOut) => Departed?.Invoke(subscription.Name, heardOut);

    internal void Desert(uint side) => Deserted?.Invoke(side);

    internal void Answered(long askedNs, RequestRecord record) => Requested?.Invoke(new AgentRequest(askedNs, record));

    internal void Act(AgentActions done) => Act(new ActionReport(
        done.RequestedNs,
        new ActionRecord
        {
            Step = done.Sent.Step,
            Agent = done.Actor.Name,
            Perspective = done.Perspective,
            Actions = { done.Sent.Actions_ },
            Outcome = done.Result,
        }));
}
