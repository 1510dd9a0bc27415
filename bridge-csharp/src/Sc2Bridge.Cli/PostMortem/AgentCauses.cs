using System.Globalization;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>Finds the agents' problems in a match. The first problem comes first.</summary>
/// <param name="facts">What the session knows.</param>
/// <param name="loopOf">The game loop of a perspective's step; null if unknown.</param>
/// <param name="lastLoop">The last game loop of the match.</param>
internal sealed class AgentCauses(EndFacts facts, Func<uint, ulong, uint?> loopOf, uint? lastLoop)
{
    // The Python agent's exit code if it did not get its connection back (agents/runner.py).
    private const int ConnectionLostCode = 69;

    /// <summary>One problem for each agent that had one.</summary>
    internal IEnumerable<PostMortemCause> Find()
    {
        var startedAgents = facts.Agents.Select(agent => agent.Name).ToList();
        var others = facts.Troubles.Where(trouble => !startedAgents.Exists(name => AgentProcesses.IsNameOf(name, trouble.Agent))
                && (trouble.Side is not null || trouble.Kind is AgentTroubleKind.MissedDeadline or AgentTroubleKind.TooLate))
            .Select(trouble => trouble.Agent).Distinct();
        return facts.Agents.Select(agent => (Agent: agent, Troubles: facts.Troubles.Where(one => AgentProcesses.IsNameOf(agent.Name, one.Agent)).ToList()))
            .Concat(others.Select(name => (
                new AgentFacts(name, null, KilledByBridge: false, [], []), facts.Troubles.Where(one => one.Agent == name).ToList())))

            .Select(pair => Find(pair.Item1, pair.Item2))

            // An agent without a trouble had a problem only after the match.
            .OrderBy(found => found.Trouble is { } trouble ? facts.Troubles.ToList().IndexOf(trouble) : int.MaxValue)
            .Select(found => found.Cause).OfType<PostMortemCause>();
    }

    /// <summary>The deadlines that agents missed before they answered a later step. The match went on with these agents.</summary>
    internal IEnumerable<PostMortemCause> FindLateAnswers() => facts.Troubles
        .Where(trouble => trouble.Kind == AgentTroubleKind.MissedDeadline && HasAnsweredLater(trouble))
        .Select(late => new PostMortemCause(
            "slow_step", $"agent {late.Agent}",
            string.Create(CultureInfo.InvariantCulture, $"agent {late.Agent} needed more than {late.WaitedFor / 1e9:0.###} s for a step"),
            "Find out what this program did at that time", LoopOf(late)));

    private (PostMortemCause? Cause, AgentTrouble? Trouble) Find(AgentFacts agent, List<AgentTrouble> troubles)
    {
        var late = troubles.Find(one => one.Kind == AgentTroubleKind.TooLate || (one.Kind == AgentTroubleKind.MissedDeadline && !HasAnsweredLater(one)));
        var left = troubles.Find(one => one.Kind is AgentTroubleKind.Left or AgentTroubleKind.EndedStream or AgentTroubleKind.LeftAfterEnd
            or AgentTroubleKind.Refused or AgentTroubleKind.TooFarBehind);
        var used = late.Agent is not null ? late : left;
        return (Describe(agent, late, left), used.Agent is null ? null : used);
    }

    private bool HasAnsweredLater(AgentTrouble late) => facts.CompletedAgents.Contains(late.Agent)
        || facts.ReportedSteps.GetValueOrDefault(late.Agent) > late.Step
        || facts.Troubles.Any(other => other.Agent == late.Agent && other.Step > late.Step);

    private PostMortemCause? Describe(AgentFacts agent, AgentTrouble late, AgentTrouble left)
    {
        var who = $"agent {agent.Name}";
        if (late.Agent is not null)
        {
            // The missed deadline came first. If the process was killed after that, the kill is not the cause.
            return new(
                "agent_hung", who,
                late.Kind == AgentTroubleKind.TooLate ? $"{who} was dropped: {late.Detail}"
                    : string.Create(CultureInfo.InvariantCulture, $"{who} did not answer a step within {late.WaitedFor / 1e9:0.###} s"),
                "Find what the agent waits for; if it only needs longer, allow more time (--lockstep-deadline, --pause-deadline, --agent-timeout)",
                LoopOf(late));
        }

        var loop = left.Agent is null ? lastLoop : LoopOf(left);
        if (agent.KilledByBridge && facts.WasStopped)
        {
            return null;
        }

        if (agent.KilledByBridge)
        {
            return new("agent_hung", who, $"{who} made no progress after the match, and was killed by the bridge", "Find what the agent waits for", loop);
        }

        if (agent.ExitCode is { } code and not 0)
        {
            return OfExit(agent, who, code, loop, hasLeft: left.Agent is not null);
        }

        return left switch
        {
            { Agent: null } => null,
            { Kind: AgentTroubleKind.LeftAfterEnd } => null,
            { Kind: AgentTroubleKind.Refused or AgentTroubleKind.TooFarBehind } => new(
                "agent_disconnected", who, $"{who} was dropped: {left.Detail}", "Change the agent as the reason says", loop),
            _ when facts.CompletedAgents.Any(name => AgentProcesses.IsNameOf(agent.Name, name)) => new(
                "agent_disconnected", who, $"the connection of {who} broke; it connected again", "Find what ends connections between the two programs", loop),
            _ when agent.ExitCode == 0 && facts.WasStopped => null,
            _ when agent.ExitCode == 0 => new("agent_ended", who, $"{who} left before the match had ended", "See its last lines", loop),
            _ => Disconnected(who, loop),
        };
    }

    private static PostMortemCause Disconnected(string who, uint? loop) => new(
        "agent_disconnected", who, $"the connection of {who} ended before the match",
        "If its process still ran, the connection broke; else see its own output", loop);

    private PostMortemCause? OfExit(AgentFacts agent, string who, int code, uint? loop, bool hasLeft)
    {
        var exception = ExitWords.ExceptionOf(agent.Traceback);
        string[] errors = exception is null ? [.. agent.Lines.TakeLast(ExitWords.LastWords)] : [exception];
        if (ExitWords.MeansOutOfMemory(code, errors, facts.HasSystemRunOutOfMemory))
        {
            return new(
                "agent_out_of_memory", who, $"{who} got no more memory: it {(exception is null ? ExitWords.Describe(code) : $"raised {exception}")}",
                "Give it more memory, or find what it keeps", loop);
        }

        if (facts.WasStopped && (ExitWords.WasStopped(code) || exception?.StartsWith("KeyboardInterrupt", StringComparison.Ordinal) == true))
        {
            return null;
        }

        return code == ConnectionLostCode && hasLeft ? Disconnected(who, loop)
            : ExitWords.WasKilled(code) ? new("agent_killed", who, $"{who} {ExitWords.Describe(code)}", "Find out who ended the process", loop)
            : exception is not null ? new("agent_exception", who, $"{who} raised {exception}", "The traceback shows the line", loop)
            : new(
                "agent_ended", who, $"{who} {ExitWords.Describe(code)}",
                ExitWords.SignalOf(code) is null ? "See its last lines" : "Native code failed: see its last lines", loop);
    }

    private uint? LoopOf(AgentTrouble trouble) => trouble.Step is { } step ? loopOf(trouble.Perspective, step) : lastLoop;
}
