using System.Net.Sockets;
using System.Net.WebSockets;
using System.Text;
using Google.Protobuf;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Tests;

/// <summary>Wrong behaviour of clients that the game must survive.</summary>
public sealed class HostileClientTests
{
    private static readonly Request Ping = new() { Ping = new RequestPing() };

    public static TheoryData<byte[], WebSocketMessageType, WebSocketCloseStatus> Wrong => new()
    {
        { [0xff, 0xff, 0x03], WebSocketMessageType.Binary, WebSocketCloseStatus.InvalidPayloadData },
        { "ping"u8.ToArray(), WebSocketMessageType.Text, WebSocketCloseStatus.InvalidPayloadData },
        {
            new Request { CreateGame = Game.Create() }.ToByteArray()[..^3], WebSocketMessageType.Binary,
            WebSocketCloseStatus.InvalidPayloadData
        },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public async Task What_is_no_request_closes_the_connection_after_earlier_answers_and_the_game_stays(
        byte[] message, WebSocketMessageType type, WebSocketCloseStatus status)
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        using (var client = await GameSocket.ConnectAsync(server.Port))
        {
            await client.SendAsync(Ping);
            await client.SendAsync(Ping);
            await client.SendAsync(message, type);
            Assert.NotNull((await client.ReceiveAsync()).Ping);
            Assert.NotNull((await client.ReceiveAsync()).Ping);
            Assert.Null(await client.ReceiveBytesAsync());
            Assert.Equal(status, client.Socket.CloseStatus);
        }

        await StillPlaysAsync(server);
    }

    [Fact]
    public async Task A_request_without_end_is_cut_off()
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        using (var client = await GameSocket.ConnectAsync(server.Port))
        {
            var piece = new byte[4 << 20];
            await Assert.ThrowsAnyAsync<WebSocketException>(async () =>
            {
                while (true)
                {
                    await client.SendAsync(piece, end: false);
                }
            });
        }

        await StillPlaysAsync(server);
    }

    [Fact]
    public async Task A_request_in_a_thousand_pieces_is_one_request()
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        using var client = await GameSocket.ConnectAsync(server.Port);
        var create = Game.Create();
        create.PlayerSetup[0].PlayerName = new string('x', 900);
        var bytes = new Request { CreateGame = create }.ToByteArray();
        for (var i = 0; i < bytes.Length; i++)
        {
            await client.SendAsync([bytes[i]], end: i == bytes.Length - 1);
        }

        Assert.Equal(Status.InitGame, (await client.ReceiveAsync()).Status);
    }

    [Fact]
    public async Task A_request_of_unknown_kind_is_refused_under_its_id()
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        using var client = await GameSocket.ConnectAsync(server.Port);
        await client.SendAsync([0xe2, 0x03, 0x00, 0x88, 0x06, 0x07]); // field 60, empty; id 7
        var answer = await client.ReceiveAsync();
        Assert.Equal((7u, Status.Launched), (answer.Id, answer.Status));
        Assert.Contains("no content", Assert.Single(answer.Error));
    }

    [Fact]
    public async Task Requests_out_of_order_and_far_ahead_of_their_answers_are_answered_in_order()
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        using var client = await GameSocket.ConnectAsync(server.Port);
        var random = new Random(5);
        var fields = Request.Descriptor.Oneofs[0].Fields.Where(f => f.Name != "quit").ToArray();
        const int Many = 1000;
        var sending = Task.Run(
            async () =>
            {
                for (var i = 0; i < Many; i++)
                {
                    var request = new Request { Id = (uint)i };
                    var field = fields[random.Next(fields.Length)];
                    field.Accessor.SetValue(request, field.MessageType.Parser.ParseFrom(ByteString.Empty));
                    await client.SendAsync(request);
                }
            },
            Ct);
        for (var i = 0; i < Many; i++)
        {
            Assert.Equal((uint)i, (await client.ReceiveAsync()).Id);
        }

        await sending;
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_client_that_leaves_while_the_game_waits_for_a_loop_is_noticed(bool politely)
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        using (var client = await GameSocket.ConnectAsync(server.Port))
        {
            await client.JoinAsync(realtime: true);
            await client.SendAsync(new Request { Observation = new RequestObservation { GameLoop = 400_000 } });
            await client.SendAsync(Ping);
            await LeaveAsync(client, politely);
        }

        await StillPlaysAsync(server);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_client_that_leaves_in_a_step_of_many_loops_ends_it(bool politely)
    {
        var options = new SimulatorOptions { QuitWhenAlone = true };
        await using var server = await SimulatedGameServer.StartAsync(options, Ct);
        using (var client = await GameSocket.ConnectAsync(server.Port))
        {
            await client.JoinAsync();
            await client.SendAsync(new Request { Step = new RequestStep { Count = uint.MaxValue } });
            await LeaveAsync(client, politely);
        }

        await server.Ended.WaitAsync(Ct);
    }

    [Fact]
    public async Task The_next_client_does_not_play_what_the_last_one_left()
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        using (var client = await GameSocket.ConnectAsync(server.Port))
        {
            await client.JoinAsync();
            await client.SendAsync(new Request { Step = new RequestStep { Count = uint.MaxValue } });
            await LeaveAsync(client, politely: true);
        }

        using var next = await GameSocket.ConnectOnceFreeAsync(server.Port);
        var observe = new Request { Observation = new RequestObservation() };
        var before = (await next.AskAsync(observe)).Observation.Observation.GameLoop;
        var stepped = await next.AskAsync(new Request { Step = new RequestStep { Count = 3 } });
        Assert.Equal(before + 3, stepped.Step.SimulationLoop);
        Assert.Equal(Status.InGame, stepped.Status);
    }

    [Fact]
    public async Task A_game_that_fails_ends_with_what_it_was_doing_and_cuts_its_client_off()
    {
        var options = new SimulatorOptions { Clock = new BrokenClock() };
        await using var server = await SimulatedGameServer.StartAsync(options, Ct);
        using var client = await GameSocket.ConnectAsync(server.Port);
        await client.AskAsync(new Request { CreateGame = Game.Create(realtime: true) });
        await client.SendAsync(new Request { JoinGame = Game.Join() });
        await Assert.ThrowsAnyAsync<WebSocketException>(client.ReceiveBytesAsync);
        var failure = await Assert.ThrowsAsync<SimulatedGameException>(() => server.Ended.WaitAsync(Ct));
        Assert.Contains(
            "while it answered join_game at game loop 0 (InvalidOperationException: no time)", failure.Message);
        Assert.DoesNotContain('\n', failure.Message);
    }

    [Theory]
    [InlineData("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")]
    [InlineData("GET /sc2api HTTP/1.1\r\nHost: localhost\r\n\r\n")]
    public async Task Other_requests_than_websockets_are_not_found(string request)
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        using var client = new TcpClient("127.0.0.1", server.Port);
        await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(request), Ct);
        using var reader = new StreamReader(client.GetStream());
        Assert.Equal("HTTP/1.1 404 Not Found", await reader.ReadLineAsync(Ct));
    }

    [Fact]
    public async Task Random_bytes_in_place_of_frames_end_that_connection_alone()
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        var random = new Random(11);
        for (var i = 0; i < 50; i++)
        {
            using var free = await GameSocket.ConnectOnceFreeAsync(server.Port);
            await free.Socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", Ct);
            using var client = new TcpClient("127.0.0.1", server.Port);
            await client.GetStream().WriteAsync(
                "GET /sc2api HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"u8.ToArray(), Ct);
            await client.GetStream().WriteAsync(
                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"u8.ToArray(), Ct);
            var bytes = new byte[random.Next(1, 200)];
            random.NextBytes(bytes);
            await client.GetStream().WriteAsync(bytes, Ct);
        }

        await StillPlaysAsync(server);
    }

    [Fact]
    public void Damaged_requests_are_no_requests_or_are_answered()
    {
        var random = new Random(8);
        var query = new RequestQuery();
        query.Pathing.Add(new RequestQueryPathing
        {
            StartPos = new Point2D { X = 30, Y = 30 },
            EndPos = new Point2D { X = 100, Y = 90 },
        });
        Request[] requests =
        [
            new() { CreateGame = Game.Create() }, new() { JoinGame = Game.Join() }, new() { Query = query },
            new() { Step = new RequestStep { Count = 3 } }, new() { Data = new RequestData { UnitTypeId = true } },
            new() { Observation = new RequestObservation { DisableFog = true, GameLoop = 9 } },
        ];
        var game = new SimulatedGame(new SimulatorOptions { LongestMatch = 100 });
        var understood = 0;
        for (var i = 0; i < 2000; i++)
        {
            var bytes = requests[random.Next(requests.Length)].ToByteArray();
            for (var damage = random.Next(3); damage > 0; damage--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            Request request;
            try
            {
                request = Request.Parser.ParseFrom(bytes);
            }
            catch (InvalidProtocolBufferException)
            {
                continue;
            }

            if (request.RequestCase != Request.RequestOneofCase.Quit)
            {
                understood++;
                Assert.True(game.Handle(request).HasStatus);
            }
        }

        Assert.True(understood > 500);
    }

    private static async Task LeaveAsync(GameSocket client, bool politely)
    {
        if (politely)
        {
            await client.Socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", Ct);
        }
        else
        {
            client.Socket.Abort();
        }
    }

    private static async Task StillPlaysAsync(GameApiServer server)
    {
        using var client = await GameSocket.ConnectOnceFreeAsync(server.Port);
        Assert.NotNull((await client.AskAsync(Ping)).Ping);
        Assert.False(server.Ended.IsCompleted);
    }

    private sealed class BrokenClock : TimeProvider
    {
        public override long GetTimestamp() => throw new InvalidOperationException("no time");
    }
}
