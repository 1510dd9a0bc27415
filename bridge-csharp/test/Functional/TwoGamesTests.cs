using System.Globalization;
using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Two processes of the simulated game play one match, and one process is killed.</summary>
public sealed class TwoGamesTests
{
    private static readonly IEnumerable<string> _simulate = ["simulate", "-listen", "127.0.0.1", "-port", "0"];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_killed_side_loses_and_the_other_continues(bool realtime)
    {
        using var host = BridgeProcess.Start(_simulate);
        using var guest = BridgeProcess.Start(_simulate);
        using var one = await ConnectAsync(host);
        using var two = await ConnectAsync(guest);
        await JoinAsync(one, two, realtime);
        Task<Response>? stepping = null;
        if (!realtime)
        {
            var steps = new Request { Step = new RequestStep { Count = 300 } };
            var stepped = await Task.WhenAll(AskAsync(one, steps), AskAsync(two, steps));
            Assert.All(stepped, answer => Assert.Equal(300u, answer.Step.SimulationLoop));
            stepping = AskAsync(one, steps);
        }

        guest.Signal(BridgeProcess.KillSignal);
        if (stepping is not null)
        {
            Assert.Equal(Status.Ended, (await stepping).Status);
        }

        Response seen;
        do
        {
            seen = await AskAsync(one, new Request { Observation = new RequestObservation() });
        }
        while (seen.Observation.PlayerResult.Count == 0);
        Assert.Equal([Result.Victory, Result.Defeat], seen.Observation.PlayerResult.Select(r => r.Result));
        Assert.Equal(Status.Launched, (await AskAsync(one, new Request { LeaveGame = new() })).Status);
        Assert.Equal(Status.InitGame, (await AskAsync(one, Create(realtime))).Status);
        await AskAsync(one, new Request { Quit = new RequestQuit() });
        (await host.EndAsync()).Well();
        Assert.Equal(128 + BridgeProcess.KillSignal, (await guest.EndAsync()).ExitCode);
    }

    private static async Task<ClientWebSocket> ConnectAsync(BridgeProcess game)
    {
        var line = await game.LineAsync("on port ");
        var port = int.Parse(line[(line.LastIndexOf(' ') + 1)..], CultureInfo.InvariantCulture);
        var client = new ClientWebSocket();
        client.Options.KeepAliveInterval = TimeSpan.Zero;
        await client.ConnectAsync(new Uri($"ws://127.0.0.1:{port}/sc2api"), Ct);
        return client;
    }

    private static async Task JoinAsync(ClientWebSocket one, ClientWebSocket two, bool realtime)
    {
        Assert.False((await AskAsync(one, Create(realtime))).CreateGame.HasError);
        var join = new RequestJoinGame
        {
            Race = Race.Terran,
            Options = new InterfaceOptions { Raw = true, Score = true },
            ServerPorts = new PortSet { GamePort = FreePorts.Find(), BasePort = 1 },
        };
        join.ClientPorts.Add(new PortSet { GamePort = 2, BasePort = 3 });
        var joined = await Task.WhenAll(
            AskAsync(one, new Request { JoinGame = join }), AskAsync(two, new Request { JoinGame = join }));
        Assert.Equal([1u, 2u], joined.Select(answer => answer.JoinGame.PlayerId));
    }

    private static Request Create(bool realtime)
    {
        var create = new RequestCreateGame
        {
            LocalMap = new LocalMap { MapPath = "CinderFortressLE.SC2Map" },
            Realtime = realtime,
            RandomSeed = 4,
        };
        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Participant });
        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Participant });
        return new Request { CreateGame = create };
    }

    private static async Task<Response> AskAsync(ClientWebSocket client, Request request)
    {
        await client.SendAsync(request.ToByteArray(), WebSocketMessageType.Binary, true, Ct);
        using var bytes = new MemoryStream();
        var buffer = new byte[64 * 1024];
        while (true)
        {
            var received = await client.ReceiveAsync(buffer.AsMemory(), Ct);
            bytes.Write(buffer.AsSpan(0, received.Count));
            if (received.EndOfMessage)
            {
                return Response.Parser.ParseFrom(bytes.ToArray());
            }
        }
    }
}
