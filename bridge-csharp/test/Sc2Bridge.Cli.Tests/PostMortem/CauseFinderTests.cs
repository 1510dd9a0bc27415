using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli.Tests;

/// <summary>The cause that facts prove.</summary>
public sealed class CauseFinderTests
{
    private static readonly string[] Traceback =
        ["Traceback (most recent call last):", "  File \"a.py\", line 1, in on_step", "ValueError: a: b", "sc2bridge: a:A failed in on_step at step 3: ValueError"];

    [Theory]
    [InlineData(137, false, "agent_killed")]
    [InlineData(137, true, "agent_out_of_memory")]
    [InlineData(139, false, "agent_ended")]
    [InlineData(3, false, "agent_ended")]
    [InlineData(0, false, "agent_ended")]
    [InlineData(null, false, "agent_disconnected")]
    public void An_agent_that_left_is_judged_by_its_exit_code(int? code, bool outOfMemory, string kind)
    {
        var cause = Find(new EndFacts
        {
            HasSystemRunOutOfMemory = outOfMemory,
            Agents = [new("a", code, KilledByBridge: false, [], [])],
            Troubles = [Trouble("a", AgentTroubleKind.Left, 7)],
        });
        Assert.Equal((kind, "agent a", 70u), (cause.Kind, cause.Who, cause.GameLoop));
    }

    [Fact]
    public void An_agent_that_connected_again_had_a_broken_connection() => Assert.Equal("agent_disconnected", Find(new EndFacts
    {
        Agents = [new("a", 0, false, [], [])],
        Troubles = [Trouble("a", AgentTroubleKind.Left, 7)],
        CompletedAgents = new HashSet<string> { "a" },
    }).Kind);

    [Fact]
    public void An_exception_is_named_with_its_text()
    {
        var cause = Find(new EndFacts { Agents = [new("a", 1, false, [], Traceback)], Troubles = [Trouble("a-2", AgentTroubleKind.Left, 3)] });
        Assert.Equal(("agent_exception", "agent a raised ValueError: a: b", 30u), (cause.Kind, cause.Text, cause.GameLoop));
    }

    [Fact]
    public void An_agent_that_was_late_and_then_killed_has_hung_but_not_if_it_answered_later()
    {
        var late = Trouble("a", AgentTroubleKind.MissedDeadline, 5);
        EndFacts Facts(ulong leftAt) => new() { Agents = [new("a", 137, false, [], [])], Troubles = [late, Trouble("a", AgentTroubleKind.Left, leftAt)] };
        Assert.Equal(("agent_hung", 50u), (Find(Facts(5)).Kind, Find(Facts(5)).GameLoop));
        Assert.Equal(("agent_killed", 90u), (Find(Facts(9)).Kind, Find(Facts(9)).GameLoop));
    }

    [Fact]
    public void An_agent_that_answered_after_a_missed_deadline_is_only_a_finding()
    {
        var facts = new EndFacts
        {
            Agents = [new("a", null, false, [], []), new("b", 1, false, [], Traceback)],
            Troubles = [Trouble("a", AgentTroubleKind.MissedDeadline, 1), Trouble("b", AgentTroubleKind.Left, 900)],
            ReportedSteps = new Dictionary<string, ulong> { ["a"] = 2 },
        };
        Assert.Equal(
            [("agent_exception", "agent b", 9000u), ("slow_step", "agent a", 10u)],
            new CauseFinder(facts, (_, step) => (uint)step * 10).Find([]).Select(one => (one.Kind, one.Who, one.GameLoop!.Value)));
        facts.ReportedSteps = new Dictionary<string, ulong> { ["a"] = 1 };
        Assert.Equal(("agent_hung", "agent a"), (Find(facts).Kind, Find(facts).Who));
    }

    [Fact]
    public void The_problem_that_is_used_decides_the_order()
    {
        var facts = new EndFacts
        {
            Agents = [new("a", 1, false, [], Traceback), new("b", 137, false, [], [])],
            Troubles =
            [
                Trouble("a", AgentTroubleKind.MissedDeadline, 1), Trouble("b", AgentTroubleKind.Left, 5), Trouble("a", AgentTroubleKind.Left, 9),
            ],
        };
        Assert.Equal("agent b", Find(facts).Who);
    }

    [Theory]
    [InlineData(143, false, "none")]
    [InlineData(130, false, "none")]
    [InlineData(137, true, "none")]
    [InlineData(0, false, "none")]
    [InlineData(137, false, "agent_killed")]
    [InlineData(139, false, "agent_ended")]
    public void Programs_that_a_user_stops_with_the_match_have_not_failed(int code, bool byBridge, string kind)
    {
        var facts = new EndFacts
        {
            End = new MatchEnd { Reason = EndReason.Stopped },
            Agents = [new("a", code, byBridge, [], [])],
            Troubles = [Trouble("a", AgentTroubleKind.Left, 7)],
            Bots = [new(1, new BotFault(BotFaultKind.Disconnected, "The bot left", 4), [])],
        };
        Assert.Equal(kind, Find(facts).Kind);
        facts.End = null;
        Assert.NotEqual("none", Find(facts).Kind);
    }

    [Fact]
    public void The_exception_is_the_first_line_after_the_last_frames()
    {
        string[] handled = ["Traceback (most recent call last):", "  File \"a.py\", line 1", "KeyError: 'x'", "", "During handling of it:", ""];
        Assert.Equal("b.MyError: x", ExitWords.ExceptionOf([.. handled, "Traceback (most recent call last):", "  File", "b.MyError: x", "second line", "bye: all"]));
        Assert.Equal("MemoryError", ExitWords.ExceptionOf(["Traceback (most recent call last):", "  File", "MemoryError"]));
        Assert.Null(ExitWords.ExceptionOf(["ValueError: x"]));
        EndFacts Facts(params string[] after) => new() { Agents = [new("a", 3, false, ["Out of memory: retried", .. after], [])] };
        Assert.Equal("agent_out_of_memory", Find(Facts()).Kind);
        Assert.Equal("agent_ended", Find(Facts("1", "2", "3", "4", "5")).Kind);
    }

    [Theory]
    [InlineData(GameFault.Hung, null, "game_hung")]
    [InlineData(GameFault.Disconnected, null, "game_disconnected")]
    [InlineData(GameFault.Disconnected, 0, "game_disconnected")]
    [InlineData(GameFault.Disconnected, 1, "game_ended")]
    [InlineData(GameFault.Disconnected, 137, "game_killed")]
    [InlineData(GameFault.Other, null, "game_error")]
    [InlineData(GameFault.BridgeFailed, null, "bridge_error")]
    public void A_game_is_judged_by_its_failure(GameFault fault, int? code, string kind) =>
        Assert.Equal(kind, Find(new EndFacts { GameFailure = new GameException("it failed") { Fault = fault, ExitCode = code } }).Kind);

    [Fact]
    public void A_bot_a_crash_and_a_killed_bridge_are_named()
    {
        Assert.Equal("bot_hung", Find(new EndFacts { Bots = [new(1, new BotFault(BotFaultKind.Hung, "The bot hung", 4), [])] }).Kind);
        Assert.Equal("bridge_killed", Find(new EndFacts { IsBridgeKilled = true }).Kind);
        Assert.Equal("bridge_error", Find(new EndFacts { IsBridgeKilled = true, BridgeCrash = ["System.Exception: x"] }).Kind);
        Assert.Equal("bridge_out_of_memory", Find(new EndFacts { Error = new InsufficientMemoryException() }).Kind);
        Assert.Equal("bridge_out_of_memory", Find(new EndFacts { BridgeCrash = ["System.OutOfMemoryException: x"] }).Kind);
    }

    [Fact]
    public void A_watcher_that_leaves_is_no_problem_and_an_unknown_cause_is_called_so()
    {
        Assert.Equal("none", Find(new EndFacts { Troubles = [Trouble("page", AgentTroubleKind.Left, 1) with { Side = null }] }).Kind);
        Assert.Equal("unknown", Find(new EndFacts { End = new MatchEnd { Aborted = true, Reason = EndReason.Failed, Detail = "it broke" } }).Kind);
    }

    private static AgentTrouble Trouble(string agent, AgentTroubleKind kind, ulong step) => new(agent, kind, "", 1, 1, step, 1_000_000_000);

    private static PostMortemCause Find(EndFacts facts) => new CauseFinder(facts, (_, step) => (uint)step * 10).Find([])[0];
}
