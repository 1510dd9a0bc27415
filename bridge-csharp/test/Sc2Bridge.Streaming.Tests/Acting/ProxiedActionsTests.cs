using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>Actions that went to the game without passing the hub.</summary>
public sealed class PassedActionsTests
{
    private static readonly RequestAction _two = new()
    {
        Actions =
        {
            new SC2APIProtocol.Action { ActionChat = new() { Message = "a" } },
            new SC2APIProtocol.Action { ActionChat = new() { Message = "b" } },
        },
    };

    private static ProxiedActions Passed => new("bot 2", 2, 7, _two, 99);

    [Fact]
    public void Each_action_has_the_games_answer()
    {
        var deed = Passed.ToReport(new Response
        {
            Action = new() { Result = { ActionResult.Success, ActionResult.NotEnoughMinerals } },
        });
        Assert.Equal((99, true), (deed.RequestedNs, deed.Passed));
        Assert.Equal(("bot 2", 2u, 7ul), (deed.Record.Agent, deed.Record.Perspective, deed.Record.Step));
        Assert.Equal(_two.Actions, deed.Record.Actions);
        Assert.Equal(7ul, deed.Record.Outcome.Step);
        Assert.Equal(
            [(int)ActionResult.Success, (int)ActionResult.NotEnoughMinerals],
            deed.Record.Outcome.Outcomes.Select(outcome => outcome.Result));
    }

    [Fact]
    public void What_has_no_answer_of_its_own_says_why()
    {
        string[] why =
        [
            Why(Passed.ToReport(new Response { Error = { "x", "y" } })),
            Why(Passed.ToReport(new Response { Action = new() { Result = { ActionResult.Success } } })),
            Why(Passed.ToFailureReport("gone")),
        ];
        Assert.Equal(["the game refused: x; y", "the game gave 1 results for 2 actions: the bridge cannot tell which action each result is for", "gone"], why);

        static string Why(ActionReport deed)
        {
            Assert.Equal([0, 0], deed.Record.Outcome.Outcomes.Select(outcome => outcome.Result));
            return deed.Record.Outcome.Outcomes.Select(outcome => outcome.Refusal).Distinct().Single();
        }
    }

    [Fact]
    public void The_agents_log_counts_it_and_no_agents_acts_twice()
    {
        using var match = new PlayedMatch();
        using var agents = new StringWriter();
        var figures = new MatchFigures();
        using (new AgentLog(match.Hub, agents, figures, new SidePath("agents.csv", null, Assert.Fail)))
        {
            match.Hub.Events.RaiseActed(match.Hub.CurrentMatch.RecordingBudget, Passed.ToFailureReport("gone"));
            match.Hub.Events.RaiseActed(match.Hub.CurrentMatch.RecordingBudget, Passed.ToFailureReport("gone") with { Passed = false });
        }

        match.Hub.Events.RaiseActed(match.Hub.CurrentMatch.RecordingBudget, Passed.ToFailureReport("gone"));
        Assert.Equal(
            "step,agent,transport,delivered_us,decode_us,think_us,actions\n7,bot 2,api,,,,2\n", agents.ToString());
        Assert.Empty(figures.Summarize().Agents);
    }

    [Fact]
    public async Task What_is_more_than_the_share_of_a_bot_is_recorded_without_its_content_and_counted_in_the_agents_log()
    {
        var chat = new SC2APIProtocol.Action { ActionChat = new() { Message = new string('x', 1 << 20) } };
        var large = new ProxiedActions("bot 2", 2, 7, new RequestAction { Actions = { chat, chat } }, 99);
        using var match = new PlayedMatch();
        using var agents = new StringWriter();
        var whole = new List<bool>();
        match.Hub.Events.Acted += report => whole.Add(report.Record.Actions.Count > 0);
        using (new AgentLog(match.Hub, agents, new MatchFigures(), new SidePath("agents.csv", null, Assert.Fail)))
        {
            for (var count = 0; count < 5; count++)
            {
                match.Hub.Events.RaiseActed(match.Hub.CurrentMatch.RecordingBudget, large.ToFailureReport("gone"));
            }
        }

        Assert.True(await match.Hub.Events.FlushAsync());
        Assert.Equal([true, true, true, false, false], whole);
        Assert.Equal(5, agents.ToString().Split("7,bot 2,api,,,,2\n").Length - 1);
    }

    [Fact]
    public async Task Raising_it_does_not_wait_for_the_logs_disk()
    {
        const int actions = 10_000;
        var told = new List<string>();
        var path = new SidePath("agents.csv", null, told.Add);
        using var match = new PlayedMatch();
        using var disk = new HeldWriter();
        using (new AgentLog(match.Hub, disk, new MatchFigures(), path))
        {
            disk.IsHeld = true;
            await Task.Run(
                () =>
                {
                    for (var count = 0; count < actions; count++)
                    {
                        match.Hub.Events.RaiseActed(match.Hub.CurrentMatch.RecordingBudget, Passed.ToFailureReport("gone"));
                    }
                },
                Ct).WaitAsync(Ct);
            Assert.True(await match.Hub.Events.FlushAsync());
            disk.LetGo();
        }

        var written = disk.ToString().Count(letter => letter == '\n');
        Assert.InRange(written, 8192, 8194);
        Assert.Equal(1 + actions - written, path.Lost);
        Assert.Contains("the disk is too slow", Assert.Single(told), StringComparison.Ordinal);
    }
}
