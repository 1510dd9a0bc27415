using System.Net.Sockets;
using System.Net.WebSockets;

namespace Sc2Bridge.Games.Tests.Served;

/// <summary>The game API's server, in front of any game.</summary>
public sealed class GameApiServerTests
{
    private static readonly Request Quit = new() { Quit = new RequestQuit() };

    [Fact]
    public async Task Requests_are_answered_one_at_a_time_and_in_order_however_long_each_takes()
    {
        var random = new Random(3);
        var game = new TestGame
        {
            Turn = async (_, _) =>
            {
                for (var rest = random.Next(4); rest > 0; rest--)
                {
                    await Task.Yield();
                }

                return RequestOutcome.Answered;
            },
        };
        await using var server = await StartAsync(game);
        using var client = await GameSocket.ConnectAsync(server.Port);
        for (uint i = 1; i <= 400; i++)
        {
            await client.SendAsync(new Request { Ping = new RequestPing(), Id = i });
        }

        for (uint i = 1; i <= 400; i++)
        {
            Assert.Equal(i, (await client.ReceiveAsync()).Id);
        }

        Assert.Equal(1, game.MostAtOnce);
    }

    [Theory]
    [InlineData("rebound.example.com", "X-Nothing: here", 421)]
    [InlineData("127.0.0.1", "Origin: http://evil.example.com", 403)]
    [InlineData("127.0.0.1", "Origin: http://localhost:3000", 403)]
    [InlineData("127.0.0.1", "Origin: null", 403)]
    [InlineData("127.0.0.1", "X-Nothing: here", 101)]
    [InlineData("localhost", "X-Nothing: here", 101)]
    public async Task A_page_from_elsewhere_gets_no_hold_of_the_game(string host, string header, int status)
    {
        await using var server = await StartAsync(new TestGame());
        using var client = new TcpClient();
        await client.ConnectAsync("127.0.0.1", server.Port, Ct);
        await using var stream = client.GetStream();
        await stream.WriteAsync(
            System.Text.Encoding.ASCII.GetBytes(
                $"GET /sc2api HTTP/1.1\r\nHost: {host}:{server.Port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + $"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{header}\r\n\r\n"),
            Ct);
        var answer = new byte[12];
        await stream.ReadExactlyAsync(answer, Ct);
        Assert.Equal($"HTTP/1.1 {status}", System.Text.Encoding.ASCII.GetString(answer));
    }

    [Fact]
    public async Task A_second_client_is_refused_while_there_is_one_and_none_can_be_after_it_quit()
    {
        var game = new TestGame();
        await using (var server = await StartAsync(game))
        {
            using var client = await GameSocket.ConnectAsync(server.Port);
            var refused = await Assert.ThrowsAsync<WebSocketException>(() => GameSocket.ConnectAsync(server.Port));
            Assert.Contains("503", refused.Message);
            await client.AskAsync(Quit);
            Assert.Null(await client.ReceiveBytesAsync());
            Assert.Equal(WebSocketCloseStatus.NormalClosure, client.Socket.CloseStatus);
            await server.Ended.WaitAsync(Ct);
            Assert.False(game.Disposed);
        }

        Assert.True(game.Disposed);
    }

    [Fact]
    public async Task Long_requests_are_read_one_by_one()
    {
        var answered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var game = new TestGame
        {
            Turn = async (_, _) =>
            {
                await answered.Task;
                return RequestOutcome.Answered;
            },
        };
        using var client = new EagerClient(requests: 10);
        var served = new GameApiClient(client, game).ServeAsync(Ct, Ct);
        Assert.Equal(2, client.Taken);
        answered.SetResult();
        await served;
        Assert.Equal((10, 2), (client.Answered, client.MostAhead));
    }

    [Fact]
    public async Task Requests_after_a_quit_are_not_sent()
    {
        var asked = 0;
        var game = new TestGame { Turn = (_, _) => Task.FromResult(asked++ == 0 ? RequestOutcome.Quit : RequestOutcome.Answered) };
        await using var server = await StartAsync(game);
        using var client = await GameSocket.ConnectAsync(server.Port);
        await client.SendAsync(Quit);
        await client.SendAsync(new Request { Ping = new RequestPing() });
        await server.Ended.WaitAsync(Ct);
        Assert.Equal(1, asked);
    }

    [Fact]
    public async Task A_game_that_is_gone_cuts_its_client_off_and_ends()
    {
        var game = new TestGame { Turn = (_, _) => Task.FromResult(RequestOutcome.Died) };
        await using var server = await StartAsync(game);
        using var client = await GameSocket.ConnectAsync(server.Port);
        await client.SendAsync(Quit);
        await Assert.ThrowsAnyAsync<WebSocketException>(client.ReceiveBytesAsync);
        await server.Ended.WaitAsync(Ct);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_client_that_leaves_while_its_request_waits_is_reported_and_another_may_come(bool politely)
    {
        var game = new TestGame
        {
            Turn = async (request, left) =>
            {
                if (request.Step is null)
                {
                    return RequestOutcome.Answered;
                }

                await Task.Delay(Timeout.Infinite, left).ContinueWith(_ => { }, TaskScheduler.Default);
                return RequestOutcome.Abandoned;
            },
        };
        await using var server = await StartAsync(game);
        using (var client = await GameSocket.ConnectAsync(server.Port))
        {
            await client.SendAsync(new Request { Step = new RequestStep() });
            if (politely)
            {
                await client.Socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", Ct);
            }
            else
            {
                client.Socket.Abort();
            }
        }

        using var next = await GameSocket.ConnectOnceFreeAsync(server.Port);
        Assert.Equal(5u, (await next.AskAsync(new Request { Ping = new RequestPing(), Id = 5 })).Id);
        Assert.False(server.Ended.IsCompleted);
    }

    [Fact]
    public async Task A_game_that_throws_has_failed_even_where_it_throws_as_a_connection_does()
    {
        var game = new TestGame { Turn = (_, _) => throw new IOException("the file is gone") };
        await using var server = await StartAsync(game);
        using var client = await GameSocket.ConnectAsync(server.Port);
        await client.SendAsync(Quit);
        await Assert.ThrowsAnyAsync<WebSocketException>(client.ReceiveBytesAsync);
        Assert.Equal("the file is gone", (await Assert.ThrowsAsync<IOException>(() => server.Ended)).Message);
    }

    [Fact]
    public async Task A_game_may_fail_while_nobody_asks()
    {
        var game = new TestGame();
        await using var server = await StartAsync(game);
        game.Fail(new InvalidOperationException("by itself"));
        await Assert.ThrowsAsync<InvalidOperationException>(() => server.Ended.WaitAsync(Ct));
    }

    [Fact]
    public async Task It_ends_with_its_client_where_it_is_to()
    {
        await using var server = await GameApiServer.StartAsync(
            new TestGame(), TestOptions.Parse("-quitWhenAlone"), null, Ct);
        using (var client = await GameSocket.ConnectAsync(server.Port))
        {
            client.Socket.Abort();
        }

        await server.Ended.WaitAsync(Ct);
    }

    [Fact]
    public async Task An_address_that_cannot_be_listened_on_is_one_clear_error_and_the_game_is_disposed()
    {
        var game = new TestGame();
        var none = await Assert.ThrowsAsync<ArgumentException>(
            () => GameApiServer.StartAsync(game, TestOptions.Parse("-listen", "nowhere"), null, Ct));
        Assert.Equal("-listen nowhere is not an address: give one such as 127.0.0.1.", none.Message);
        Assert.True(game.Disposed);

        using var taken = new TcpListener(System.Net.IPAddress.Loopback, 0);
        taken.Start();
        var port = ((System.Net.IPEndPoint)taken.LocalEndpoint).Port;
        game = new TestGame();
        var error = await Assert.ThrowsAsync<IOException>(
            () => GameApiServer.StartAsync(game, new TestOptions { Port = port }, null, Ct));
        Assert.Contains($"-port {port}", error.Message);
        Assert.True(game.Disposed);
    }

    [Fact]
    public void A_command_line_is_read_as_the_games_and_what_nobody_takes_is_ignored()
    {
        var options = TestOptions.Parse(
            "-dataDir", "/x", "-LISTEN", "0.0.0.0", "-own", "a", "-port", "65535", "-verbose", "-displayMode", "0");
        Assert.Equal(("0.0.0.0", 65535, "a"), (options.Listen, options.Port, options.Own));
        Assert.False(options.QuitWhenAlone);
        Assert.Contains("65536", Assert.Throws<ArgumentException>(() => TestOptions.Parse("-port", "65536")).Message);
        Assert.Contains("-own", Assert.Throws<ArgumentException>(() => TestOptions.Parse("-own")).Message);
        Assert.Contains("-own", Assert.Throws<ArgumentException>(() => TestOptions.Parse("-own", "")).Message);
    }

    [Theory]
    [InlineData("--port", "; did you mean -port?")]
    [InlineData("--OWN", "; did you mean -own?")]
    [InlineData("--alow-origin=a", "; did you mean --allow-origin?")]
    [InlineData("--frobnicate", "")]
    public void An_unknown_option_with_two_dashes_is_an_error_that_names_the_closest_one(string word, string advice)
    {
        var error = Assert.Throws<ArgumentException>(() => TestOptions.Parse("-listen", "0.0.0.0", word, "a"));
        Assert.Equal($"unknown option '{word}'{advice}", error.Message);
    }

    private static Task<GameApiServer> StartAsync(TestGame game) =>
        GameApiServer.StartAsync(game, new TestOptions(), null, Ct);
}
