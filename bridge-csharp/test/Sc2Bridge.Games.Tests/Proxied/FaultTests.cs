using System.Net.WebSockets;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Games.Tests.Proxied;

/// <summary>Bots and games that fail.</summary>
public sealed class FaultTests
{
    [Fact]
    public async Task A_bot_that_leaves_without_a_close_ends_the_match_for_all()
    {
        await using var match = await ProxiedGame.StartAsync();
        var (bot, run) = await match.JoinAsync();
        using var agent = match.Listen();
        await bot.AskAsync(Asks.Observe());
        await bot.AskAsync(Asks.Step(3));
        await bot.AskAsync(Asks.Observe());
        bot.Socket.Abort();
        var end = await run;
        Assert.True(end.Aborted);
        Assert.Equal("The bot closed its connection without leaving the game at game loop 3", end.Detail);
        var (heard, told) = await ProxiedGame.HearAsync(agent);
        Assert.Equal((2, end), (heard.Count, told));
    }

    [Fact]
    public async Task A_bot_that_goes_before_it_has_joined_may_come_again()
    {
        await using var match = await ProxiedGame.StartAsync();
        using (var first = await match.ConnectAsync())
        {
            await first.AskAsync(new Request { Ping = new() });
            await first.Socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", Ct);
        }

        using var second = await GameSocket.ConnectOnceFreeAsync(match.Source.Address.Port);
        Assert.NotNull((await second.AskAsync(Asks.Join())).JoinGame);
        await match.Started;
        Assert.Contains(match.Said, line => line.Contains("waiting for a bot to connect again", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_bot_that_never_comes_is_told_of_in_one_line()
    {
        await using var match = await ProxiedGame.StartAsync(
            new ProxyOptions { Patience = TimeSpan.FromMilliseconds(20) });
        var failure = await Assert.ThrowsAsync<GameException>(() => match.Started);
        Assert.Matches(
            "^No bot connected at ws://127.0.0.1:[0-9]+/sc2api within 0 s: start it .*--api-deadline.$", failure.Message);
    }

    [Fact]
    public async Task A_bot_that_asks_for_nothing_any_more_ends_the_match()
    {
        await using var match = await ProxiedGame.StartAsync(new ProxyOptions { Patience = TimeSpan.FromSeconds(3) });
        var (bot, run) = await match.JoinAsync();
        using var connected = bot;
        await bot.AskAsync(Asks.Observe());
        var end = await run;
        Assert.True(end.Aborted);
        Assert.Equal("The bot has sent no request for 3 s at game loop 0", end.Detail);
        Assert.Null(await bot.ReceiveBytesAsync());
    }

    [Fact]
    public async Task A_port_that_is_taken_is_told_of_before_the_game_starts()
    {
        await using var first = await ProxiedGame.StartAsync();
        await using var second = await ProxiedGame.StartAsync(new ProxyOptions { Port = first.Source.Address.Port });
        var failure = await Assert.ThrowsAsync<GameException>(() => second.Started);
        Assert.Contains($"--api-port {first.Source.Address.Port}", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("text")]
    [InlineData("bytes")]
    public async Task Garbage_ends_the_match_and_says_so(string what)
    {
        await using var match = await ProxiedGame.StartAsync();
        var (bot, run) = await match.JoinAsync();
        using var connected = bot;
        await bot.AskAsync(Asks.Observe());
        await (what == "text"
            ? bot.SendAsync("hello"u8.ToArray(), WebSocketMessageType.Text)
            : bot.SendAsync([0xFF, 0xFF, 0xFF]));
        Assert.Null(await bot.ReceiveBytesAsync());
        Assert.Equal(WebSocketCloseStatus.InvalidPayloadData, bot.Socket.CloseStatus);
        var end = await run;
        Assert.True(end.Aborted);
        Assert.Matches("^The bot sent bytes that are not a Request .* at game loop 0$", end.Detail);
    }

    [Fact]
    public async Task A_game_that_dies_under_the_bot_ends_the_match_by_its_failure()
    {
        await using var match = await ProxiedGame.StartAsync();
        var (bot, run) = await match.JoinAsync();
        using var connected = bot;
        using var agent = match.Listen();
        await bot.AskAsync(Asks.Observe());
        await match.KillGameAsync();
        Assert.Null(await bot.ReceiveBytesAsync());
        Assert.Equal(WebSocketCloseStatus.InternalServerError, bot.Socket.CloseStatus);
        var end = await run;
        Assert.True(end.Aborted);
        Assert.StartsWith("The game", end.Detail, StringComparison.Ordinal);
        var (heard, told) = await ProxiedGame.HearAsync(agent);
        Assert.Equal((1, end), (heard.Count, told));
    }

    [Fact]
    public async Task Bots_that_have_gone_are_not_held_while_the_game_runs()
    {
        var match = new ProxiedMatch(new ProxyOptions(), shared: null, create: (_, _) => Task.CompletedTask);
        var service = new BotService(match);
        var bots = new List<WeakReference>();
        await using var proxy = await GameApiServer.StartAsync(Begin, new ProxyOptions(), null, Ct);
        await using var game = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        var toGame = await GameSocket.ConnectAsync(game.Port);
        await using var client = new GameClient(toGame.Socket, new GameClientOptions());
        match.SetGame(client);
        for (var time = 0; time < 10; time++)
        {
            using var bot = await GameSocket.ConnectOnceFreeAsync(proxy.Port);
            await bot.SendAsync([0xFF, 0xFF, 0xFF]);
            Assert.Null(await bot.ReceiveBytesAsync());
            await bot.Socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", Ct);
        }

        // The server may still keep its last connections.
        await HoldsAsync(() =>
        {
            GC.Collect();
            return bots.Count(bot => bot.IsAlive) <= 2;
        });
        Assert.False(client.Failed.IsCompleted);

        IServedClient Begin(WebSocket socket)
        {
            var bot = service.Begin(socket);
            bots.Add(new WeakReference(bot));
            return bot;
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_defect_in_a_bots_connection_ends_the_match_and_closes_the_connection(bool looksLikeItsEnd)
    {
        const string message = "a defect";
        Exception defect = looksLikeItsEnd ? new IOException(message) : new InvalidOperationException(message);
        var match = new ProxiedMatch(new ProxyOptions(), shared: null, create: (_, _) => throw defect);
        var service = new BotService(match);
        await using var proxy = await GameApiServer.StartAsync(service.Begin, new ProxyOptions(), null, Ct);
        await using var game = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        var toGame = await GameSocket.ConnectAsync(game.Port);
        await using var client = new GameClient(toGame.Socket, new GameClientOptions());
        match.SetGame(client);

        // The bridge creates the match when a bot joins.
        using var bot = await GameSocket.ConnectAsync(proxy.Port);
        Assert.NotNull((await bot.AskAsync(new Request { Ping = new() })).Ping);
        await client.SendAsync(new Request { Ping = new() }, Ct);
        await bot.SendAsync(Asks.Join());
        Assert.Null(await bot.ReceiveBytesAsync());
        Assert.Equal(WebSocketCloseStatus.InternalServerError, bot.Socket.CloseStatus);
        Assert.Equal("The bridge failed: a defect", bot.Socket.CloseStatusDescription);
        Assert.Equal("The bridge failed: a defect", (await match.Frames.Failed).Message);
        var ended = await Assert.ThrowsAsync<GameException>(async () => await match.Frames.NextAsync(Ct));
        Assert.Same(defect, ended.InnerException);
        await bot.Socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", Ct);
        await service.WhenDisconnectedAsync(Timeout.InfiniteTimeSpan);
        Assert.False(service.HasClient);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Whatever_a_bot_asks_is_answered_in_order_or_its_connection_is_closed(int seed)
    {
        var random = new Random(seed);
        var made = new AnyMessage(random);
        await using var match = await ProxiedGame.StartAsync();
        var (bot, run) = await match.JoinAsync();
        using var connected = bot;
        await bot.AskAsync(Asks.Observe());
        for (uint i = 0; i < 400; i++)
        {
            var request = random.Next(4) == 0 ? Asks.Observe() : made.Of<Request>();
            if (request.RequestCase is Request.RequestOneofCase.Quit or Request.RequestOneofCase.LeaveGame
                or Request.RequestOneofCase.Debug)
            {
                continue; // these may end the match or the game
            }

            if (request.Step is { } step)
            {
                step.Count %= 16;
            }

            request.Id = i;
            await bot.SendAsync(request);
            var bytes = await bot.ReceiveBytesAsync();
            Assert.NotNull(bytes);
            Assert.Equal(i, Response.Parser.ParseFrom(bytes).Id);
        }

        await bot.AskAsync(Asks.Leave());
        Assert.False((await run).Aborted);
    }
}
