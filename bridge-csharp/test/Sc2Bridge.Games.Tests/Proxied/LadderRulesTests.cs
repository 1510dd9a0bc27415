namespace Sc2Bridge.Games.Tests.Proxied;

/// <summary>What a ladder forbids to bots.</summary>
public sealed class LadderRulesTests
{
    [Fact]
    public async Task The_fog_stays_and_debug_commands_except_drawing_are_refused()
    {
        await using var match = await ProxiedGame.StartAsync(new ProxyOptions { Ladder = new LadderRules() });
        using var bot = await match.ConnectAsync();
        var create = Asks.Create();
        create.CreateGame.DisableFog = true;
        Assert.Equal("Ladder rules: disable_fog is not allowed", (await bot.AskAsync(create)).Error.Single());
        await bot.AskAsync(Asks.Join());
        await match.Started;
        _ = match.RunAsync();
        var seeing = new Request { Observation = new() { DisableFog = true }, Id = 9 };
        var refused = await bot.AskAsync(seeing);
        Assert.Equal((9u, "Ladder rules: disable_fog is not allowed"), (refused.Id, refused.Error.Single()));
        Assert.NotNull((await bot.AskAsync(Asks.Observe())).Observation);
        var give = new DebugCommand { GameState = DebugGameState.AllResources };
        var draw = new DebugCommand { Draw = new() };
        Assert.Contains("debug", (await bot.AskAsync(Debug(draw, give))).Error.Single(), StringComparison.Ordinal);
        Assert.NotNull((await bot.AskAsync(Debug(draw))).Debug);
    }

    [Theory]
    [InlineData(40, 400u, "ends at game loop 400", Result.Tie)]
    [InlineData(0, 80_640u, "ms a game loop on average, and 0 are allowed", Result.Defeat)]
    public async Task A_match_that_is_too_long_or_a_bot_that_is_too_slow_ends_it(
        double loopMs, uint lastLoop, string why, Result result)
    {
        var rules = new LadderRules { LoopMs = loopMs, LastLoop = lastLoop };
        await using var match = await ProxiedGame.StartAsync(new ProxyOptions { Ladder = rules });
        var (bot, run) = await match.JoinAsync();
        using var connected = bot;
        Response step;
        var steps = 0u;
        do
        {
            await bot.AskAsync(Asks.Observe());
            step = await bot.AskAsync(Asks.Step(100));
            steps++;
        }
        while (step.Error.Count == 0);
        Assert.Contains(why, step.Error.Single(), StringComparison.Ordinal);
        Assert.Equal(result == Result.Tie ? 5u : 4u, steps);
        var end = await run;
        Assert.Equal((step.Error.Single(), false), (end.Detail, end.Aborted));
        Assert.Equal((1u, result), (end.Results.Single().PlayerId, end.Results.Single().Result));
        Assert.NotNull((await bot.AskAsync(Asks.Leave())).LeaveGame);
    }

    private static Request Debug(params DebugCommand[] commands) => new() { Debug = new() { Debug = { commands } } };
}
