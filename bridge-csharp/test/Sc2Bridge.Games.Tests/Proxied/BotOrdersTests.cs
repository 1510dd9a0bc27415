using System.Collections.Concurrent;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Games.Tests.Proxied;

/// <summary>A bot's actions are reported in the same way as agents' actions.</summary>
public sealed class BotOrdersTests
{
    [Fact]
    public async Task A_bots_orders_are_told_with_their_step_and_the_games_answers()
    {
        await using var match = await ProxiedGame.StartAsync();
        var heard = Hear(match);
        var (bot, run) = await match.JoinAsync();
        using (bot)
        {
            var worker = Workers(await bot.AskAsync(Asks.Observe())).First();
            var before = MonotonicClock.NowNs;
            var (move, nobody) = (Move(worker), Move(1));
            var first = await bot.AskAsync(Acts(move, nobody));
            await bot.AskAsync(Asks.Step());
            await bot.AskAsync(Asks.Observe());
            await bot.AskAsync(Acts(Say("one")));
            await bot.AskAsync(Acts());
            await bot.AskAsync(Acts(Say("two")));
            await bot.AskAsync(Asks.Leave());
            var after = MonotonicClock.NowNs;
            await run;
            Assert.Equal(["0", "1", "1"], heard.Of(match.Hub).Select(report => $"{report.Record.Step}"));
            Assert.All(heard, report => Assert.Equal(
                ("bot", 1u, true, report.Record.Step),
                (report.Record.Agent, report.Record.Perspective, report.Passed, report.Record.Outcome.Step)));
            Assert.All(heard, report => Assert.InRange(report.RequestedNs, before, after));
            var told = heard.First().Record;
            Assert.Equal([move, nobody], told.Actions);
            Assert.Equal(
                first.Action.Result.Select(result => ((int)result, "")),
                told.Outcome.Outcomes.Select(outcome => (outcome.Result, outcome.Refusal)));
            Assert.Equal(2, told.Outcome.Outcomes.Select(outcome => outcome.Result).Distinct().Count());
        }
    }

    [Fact]
    public async Task Orders_in_real_time_and_ahead_of_their_answers_are_reported_in_order()
    {
        await using var match = await ProxiedGame.StartAsync(
            settings: ProxiedGame.Settings with { Rate = StepRate.GameClock });
        var heard = Hear(match);
        var (bot, run) = await match.JoinAsync();
        using (bot)
        {
            await bot.AskAsync(Asks.Observe());
            foreach (var number in Enumerable.Range(0, 100))
            {
                await bot.SendAsync(Acts(Say($"{number}")));
            }

            for (var answers = 0; answers < 100; answers++)
            {
                Assert.NotNull((await bot.ReceiveAsync()).Action);
            }

            await bot.AskAsync(Asks.Leave());
        }

        await run;
        Assert.Equal(
            Enumerable.Range(0, 100).Select(number => $"{number}"),
            heard.Of(match.Hub).Select(report => report.Record.Actions.Single().ActionChat.Message));
    }

    [Fact]
    public async Task Orders_that_the_game_refuses_as_a_whole_say_why()
    {
        await using var match = await ProxiedGame.StartAsync(game: new SimulatorOptions { LongestMatch = 8 });
        var heard = Hear(match);
        var (bot, run) = await match.JoinAsync();
        using (bot)
        {
            await bot.AskAsync(Asks.Observe());
            await bot.AskAsync(Asks.Step(16));
            var refused = await bot.AskAsync(Acts(Say("late")));
            Assert.NotEmpty(refused.Error);
            await bot.AskAsync(Asks.Leave());
            await run;
            var outcome = Assert.Single(Assert.Single(heard.Of(match.Hub)).Record.Outcome.Outcomes);
            Assert.Equal((0, $"the game refused: {refused.Error.Single()}"), (outcome.Result, outcome.Refusal));
        }
    }

    private static ConcurrentQueue<ActionReport> Hear(ProxiedGame match)
    {
        var heard = new ConcurrentQueue<ActionReport>();
        match.Hub.Events.Acted += heard.Enqueue;
        return heard;
    }

    private static IEnumerable<ulong> Workers(Response answer) =>
        answer.Observation.Observation.RawData.Units.Where(unit => unit.UnitType == 45).Select(unit => unit.Tag);

    private static Request Acts(params SC2APIProtocol.Action[] actions) =>
        new() { Action = new RequestAction { Actions = { actions } } };

    private static SC2APIProtocol.Action Say(string what) => new() { ActionChat = new() { Message = what } };

    private static SC2APIProtocol.Action Move(ulong unit) => new()
    {
        ActionRaw = new()
        {
            UnitCommand = new() { AbilityId = 16, UnitTags = { unit }, TargetWorldSpacePos = new() { X = 40, Y = 40 } },
        },
    };
}
