using System.Net.WebSockets;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Games.Tests.Proxied;

/// <summary>How a bot's match begins, is paused, and ends.</summary>
public sealed class MatchTests
{
    [Fact]
    public async Task A_bot_that_joins_first_plays_the_match_that_the_bridge_was_asked_for_and_its_ports_are_left_out()
    {
        await using var match = await ProxiedGame.StartAsync();
        using var bot = await match.ConnectAsync();
        var join = Asks.Join(Race.Protoss);
        join.Id = 12;
        join.JoinGame.ServerPorts = new() { GamePort = 5001, BasePort = 5002 };
        join.JoinGame.ClientPorts.Add(new PortSet { GamePort = 5003, BasePort = 5004 });
        var joined = await bot.AskAsync(join);
        Assert.Equal((12u, Status.InGame, 1u), (joined.Id, joined.Status, joined.JoinGame.PlayerId));
        await match.Started;
        var description = match.Source.Description;
        Assert.Equal(
            ("Salt Basin LE", ProxiedGame.Seed, false),
            (description.MapName, description.Seed, description.Realtime));
        Assert.True(description.Simulated);
        Assert.Equal([1u], description.Perspectives);
        Assert.Equal(
            [(1, V1.PlayerKind.Api, V1.PlayerRace.Protoss, ""), (2, V1.PlayerKind.Computer, V1.PlayerRace.Zerg, "VeryEasy")],
            description.Players.Select(one => ((int)one.PlayerId, one.Kind, one.Race, one.Difficulty)));
        Assert.NotEmpty(description.Data.Units);
    }

    [Fact]
    public void A_bot_that_has_a_side_of_a_match_for_two_cannot_only_look_on()
    {
        var match = new ProxiedMatch(
            new ProxyOptions(), new SharedMatch(2), static (_, _) => Task.CompletedTask);
        Assert.Null(match.Refusal(Asks.Join()));
        Assert.Contains(
            "join it with a race",
            match.Refusal(new Request { JoinGame = new() { ObservedPlayerId = 1, Options = new() { Raw = true } } }),
            StringComparison.Ordinal);
        Assert.Contains("join it", match.Refusal(Asks.Create()), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/etc/passwd")]
    [InlineData("/nowhere")]
    [InlineData("a/../../b")]
    [InlineData("..\\a")]
    [InlineData("C:\\a")]
    public async Task A_bot_may_name_no_file_outside_the_games_folders(string path)
    {
        await using var match = await ProxiedGame.StartAsync();
        using var bot = await match.ConnectAsync();
        var info = await bot.AskAsync(new Request { ReplayInfo = new() { ReplayPath = path } });
        Assert.StartsWith("replay_info.replay_path leaves", Assert.Single(info.Error), StringComparison.Ordinal);
        var save = new RequestSaveMap { MapPath = path, MapData = Google.Protobuf.ByteString.CopyFromUtf8("map") };
        var saved = await bot.AskAsync(new Request { SaveMap = save });
        Assert.StartsWith("save_map.map_path leaves", Assert.Single(saved.Error), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/game/Maps/Ladder/A.SC2Map", "/game/Maps/Ladder/A.SC2Map")]
    [InlineData("/game/Maps/../../etc/A.SC2Map", "A.SC2Map")]
    [InlineData("/home/bot/Maps/A.SC2Map", "A.SC2Map")]
    [InlineData("C:\\Maps\\A.SC2Map", "A.SC2Map")]
    [InlineData("Ladder/A.SC2Map", "Ladder/A.SC2Map")]
    public void A_bots_map_is_looked_for_in_the_games_folder_alone(string given, string passed)
    {
        var match = new ProxiedMatch(
            new ProxyOptions(), null, static (_, _) => Task.CompletedTask, static () => "/game/Maps");
        var create = Asks.Create();
        create.CreateGame.LocalMap.MapPath = given;
        var sent = match.Rules.ReplacementFor(create, Status.Launched) ?? create;
        Assert.Equal(passed, sent.CreateGame.LocalMap.MapPath);
    }

    [Fact]
    public void A_bot_has_the_game_connect_nowhere()
    {
        var match = new ProxiedMatch(new ProxyOptions(), null, static (_, _) => Task.CompletedTask);
        var join = Asks.Join();
        join.JoinGame.HostIp = "192.0.2.1";
        Assert.False(match.Rules.ReplacementFor(join, Status.InitGame)?.JoinGame.HasHostIp);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_match_that_the_bot_creates_holds(bool realtime)
    {
        await using var match = await ProxiedGame.StartAsync();
        using var bot = await match.ConnectAsync();
        Assert.False((await bot.AskAsync(Asks.Create(realtime, seed: 99))).CreateGame.HasError);
        await bot.AskAsync(Asks.Join());
        await match.Started;
        Assert.Equal((99u, realtime), (match.Source.Description.Seed, match.Source.Description.Realtime));
        var run = match.RunAsync();

        // In real time nothing waits for agents. Here no agent reads, and bot and game continue.
        Assert.Equal(Status.InGame, (await bot.AskAsync(Asks.Observe())).Status);
        var step = await bot.AskAsync(Asks.Step());
        Assert.Equal(realtime, step.Step is null);
        await bot.AskAsync(Asks.Leave());
        Assert.Equal("the bot left the game", (await run).Detail);
    }

    [Fact]
    public async Task Agents_in_lockstep_hold_the_next_step_and_no_questions()
    {
        await using var match = await ProxiedGame.StartAsync();
        var (bot, run) = await match.JoinAsync();
        using (bot)
        {
            using var agent = match.Listen(V1.Policy.Lockstep);
            await bot.AskAsync(Asks.Observe());
            var first = await agent.ReadAsync(Ct);
            Assert.Equal(3, (await bot.AskAsync(Asks.Placements(3))).Query.Placements.Count);
            Assert.Equal(5, (await match.AskAsync(Asks.Placements(5))).Query.Placements.Count);

            // The step waits. Meanwhile the bridge answers the agent, and then it sends the bot's step.
            await bot.SendAsync(Asks.Step());
            var stepped = bot.ReceiveAsync();
            Assert.Equal(2, (await match.AskAsync(new Request { GameInfo = new() })).GameInfo.PlayerInfo.Count);
            Assert.False(stepped.IsCompleted);
            agent.Acknowledge(new V1.Acknowledgement { Step = first.Frame!.Header.Step });
            first.Release();
            Assert.Equal(1u, (await stepped).Step.SimulationLoop);
            await bot.AskAsync(Asks.Leave());
        }

        Assert.Equal("the bot left the game", (await run).Detail);
    }

    [Fact]
    public async Task Agents_only_watch_a_side_that_a_bot_plays()
    {
        await using var match = await ProxiedGame.StartAsync();
        var (bot, _) = await match.JoinAsync();
        using var connected = bot;
        var refused = Assert.Throws<Streaming.RequestRefusedException>(() => match.Hub.Subscribe(
            new V1.SubscribeRequest { CanAct = true }, new Streaming.SubscriberInfo("test", DeliverInline: false)));
        Assert.Contains("of the kind 'api'", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_end_is_told_with_results_to_all_and_the_bot_may_still_look_and_save()
    {
        await using var match = await ProxiedGame.StartAsync(game: new SimulatorOptions { LongestMatch = 40 });
        var (bot, run) = await match.JoinAsync();
        using var connected = bot;
        using var agent = match.Listen();
        var observations = 0;
        Response answer;
        do
        {
            answer = await bot.AskAsync(Asks.Observe());
            observations++;
            await bot.AskAsync(Asks.Step(8));
        }
        while (answer.Observation.PlayerResult.Count == 0);
        var end = await run;
        Assert.Equal((V1.EndReason.Finished, false, 2), (end.Reason, end.Aborted, end.Results.Count));
        Assert.Equal(Result.Tie, end.Results[0].Result);
        var (heard, told) = await ProxiedGame.HearAsync(agent);
        Assert.Equal(end, told);
        Assert.InRange(heard.Count, 6, observations);
        Assert.NotEmpty((await bot.AskAsync(new Request { SaveReplay = new() })).SaveReplay.Data);
        Assert.NotNull((await bot.AskAsync(Asks.Observe())).Observation);
        Assert.NotNull((await bot.AskAsync(Asks.Leave())).LeaveGame);
        var again = await bot.AskAsync(Asks.Create());
        Assert.Contains("one: start the bridge again", again.Error.Single(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Quitting_is_leaving_and_the_game_stays()
    {
        await using var match = await ProxiedGame.StartAsync();
        var (bot, run) = await match.JoinAsync();
        using (bot)
        {
            await bot.AskAsync(Asks.Observe());
            var quit = Asks.Quit();
            quit.Id = 3;
            var answer = await bot.AskAsync(quit);
            Assert.Equal((3u, true, 0), (answer.Id, answer.Quit is not null, answer.Error.Count));
            Assert.Null(await bot.ReceiveBytesAsync());
            Assert.Equal(WebSocketCloseStatus.NormalClosure, bot.Socket.CloseStatus);
        }

        var end = await run;
        Assert.Equal(("the bot left the game", false), (end.Detail, end.Aborted));
        Assert.False(match.Game.Ended.IsCompleted);
    }

    [Theory]
    [InlineData("restart")]
    [InlineData("join")]
    [InlineData("replay")]
    public async Task Requests_that_would_begin_another_match_are_refused_with_a_reason(string what)
    {
        await using var match = await ProxiedGame.StartAsync();
        var (bot, _) = await match.JoinAsync();
        using var connected = bot;
        var request = what switch
        {
            "restart" => new Request { RestartGame = new(), Id = 4 },
            "join" => new Request(Asks.Join()) { Id = 4 },
            _ => new Request { StartReplay = new(), Id = 4 },
        };
        var answer = await bot.AskAsync(request);
        Assert.Equal((4u, Status.InGame), (answer.Id, answer.Status));
        Assert.Contains("streams one match", answer.Error.Single(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_map_that_there_is_not_ends_the_match_before_it_begins_and_the_bot_is_told()
    {
        await using var match = await ProxiedGame.StartAsync(settings: ProxiedGame.Settings with { Map = "Nowhere LE" });
        using var bot = await match.ConnectAsync();
        await bot.SendAsync(Asks.Join());
        Assert.Null(await bot.ReceiveBytesAsync());
        Assert.Contains("Nowhere LE", bot.Socket.CloseStatusDescription, StringComparison.Ordinal);
        var failure = await Assert.ThrowsAsync<GameException>(() => match.Started);
        Assert.Contains("There is no map 'Nowhere LE'", failure.Message, StringComparison.Ordinal);
    }
}
