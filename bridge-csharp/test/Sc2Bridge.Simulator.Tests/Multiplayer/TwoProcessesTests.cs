using System.Net;
using System.Net.Sockets;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;

namespace Sc2Bridge.Simulator.Tests.Multiplayer;

/// <summary>Two games as servers, connected over real ports.</summary>
public sealed class TwoProcessesTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Two_clients_play_to_an_end(bool realtime)
    {
        await using var host = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        await using var guest = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        using var one = await GameSocket.ConnectAsync(host.Port);
        using var two = await GameSocket.ConnectAsync(guest.Port);
        await JoinAsync(one, two, realtime);
        if (realtime)
        {
            var waiting = new Request { Observation = new RequestObservation { GameLoop = 5 } };
            var seen = await two.AskAsync(waiting);
            Assert.True(seen.Observation.Observation.GameLoop >= 5);
        }
        else
        {
            var steps = await Task.WhenAll(new[] { one, two }.Select(client =>
                client.AskAsync(new Request { Step = new RequestStep { Count = 50 } })));
            Assert.All(steps, step => Assert.Equal(50u, step.Step.SimulationLoop));
        }

        var left = await two.AskAsync(new Request { LeaveGame = new RequestLeaveGame() });
        Assert.Equal(Status.Launched, left.Status);
        await AssertWonAsync(one, realtime);
    }

    [Fact]
    public async Task Both_processes_of_a_match_play_the_same_new_version()
    {
        var options = new SimulatorOptions { PatchDay = 8 };
        await using var host = await SimulatedGameServer.StartAsync(options, Ct);
        await using var guest = await SimulatedGameServer.StartAsync(options, Ct);
        using var one = await GameSocket.ConnectAsync(host.Port);
        using var two = await GameSocket.ConnectAsync(guest.Port);
        var versions = new List<ResponseData>();
        for (var match = 0; match < 3; match++)
        {
            await JoinAsync(one, two, realtime: false);
            var request = new Request { Data = new RequestData { UnitTypeId = true } };
            versions.Add((await one.AskAsync(request)).Data);
            Assert.Equal(versions[^1], (await two.AskAsync(request)).Data);
            Assert.Equal(await NewUnitsAsync(one), await NewUnitsAsync(two));
            await two.AskAsync(new Request { LeaveGame = new RequestLeaveGame() });
            await one.AskAsync(new Request { LeaveGame = new RequestLeaveGame() });
        }

        Assert.Equal(3, versions.Distinct().Count());
    }

    [Fact]
    public async Task A_process_that_dies_gives_the_other_its_victory()
    {
        await using var host = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        var guest = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        using var one = await GameSocket.ConnectAsync(host.Port);
        using var two = await GameSocket.ConnectAsync(guest.Port);
        await JoinAsync(one, two, false);
        var waiting = one.AskAsync(new Request { Step = new RequestStep { Count = 10 } });
        await guest.DisposeAsync();
        Assert.Equal(Status.Ended, (await waiting).Status);
        await AssertWonAsync(one, true);
    }

    [Fact]
    public async Task No_game_waits_for_ever_for_a_peer_that_does_not_come()
    {
        var options = new SimulatorOptions { LongestJoin = TimeSpan.FromMilliseconds(50) };
        await using var server = await SimulatedGameServer.StartAsync(options, Ct);
        using var client = await GameSocket.ConnectAsync(server.Port);
        var joined = await client.AskAsync(new Request { JoinGame = Pair.Join(Race.Zerg, "me", FreePorts.Find()) });
        Assert.Equal(ResponseJoinGame.Types.Error.NetworkError, joined.JoinGame.Error);
        Assert.Equal(Status.Launched, joined.Status);
    }

    [Theory]
    [InlineData("192.0.2.1")]
    [InlineData("0.0.0.0")]
    [InlineData("example.com")]
    public async Task A_host_that_nobody_allowed_is_neither_asked_nor_listened_at(string host)
    {
        var join = Pair.Join(Race.Zerg, "me", FreePorts.Find());
        join.HostIp = host;
        await using (var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct))
        {
            using var client = await GameSocket.ConnectAsync(server.Port);
            var refused = (await client.AskAsync(new Request { JoinGame = join })).JoinGame;
            Assert.Equal(ResponseJoinGame.Types.Error.NetworkError, refused.Error);
            Assert.EndsWith($"start the game with -allowHostIp {host}.", refused.ErrorDetails, StringComparison.Ordinal);
        }

        var allows = SimulatorOptions.Parse(["-allowHostIp", "a", "-allowHostIp", host]) with
        {
            LongestJoin = TimeSpan.FromMilliseconds(50),
        };
        await using var allowing = await SimulatedGameServer.StartAsync(allows, Ct);
        using var other = await GameSocket.ConnectAsync(allowing.Port);
        var tried = (await other.AskAsync(new Request { JoinGame = join })).JoinGame;
        Assert.StartsWith($"No connection to the other game at {host}", tried.ErrorDetails, StringComparison.Ordinal);
    }

    [Fact]
    public async Task No_game_waits_for_ever_for_a_silent_peer()
    {
        var options = new SimulatorOptions { LongestJoin = TimeSpan.FromMilliseconds(500) };
        await using var server = await SimulatedGameServer.StartAsync(options, Ct);
        using var client = await GameSocket.ConnectAsync(server.Port);
        await client.AskAsync(new Request { CreateGame = Game.CreateForOne(seed: 2, participants: 2) });
        var port = FreePorts.Find();
        var joining = client.AskAsync(new Request { JoinGame = Pair.Join(Race.Zerg, "me", port) });
        using var silent = new TcpClient();
        for (var connected = false; !connected;)
        {
            try
            {
                await silent.ConnectAsync(IPAddress.Loopback, port, Ct);
                connected = true;
            }
            catch (SocketException)
            {
                // The game does not listen yet.
            }
        }

        var joined = (await joining.WaitAsync(TimeSpan.FromSeconds(10), Ct)).JoinGame;
        Assert.Equal(ResponseJoinGame.Types.Error.NetworkError, joined.Error);
        Assert.EndsWith("did not agree on the match in time.", joined.ErrorDetails, StringComparison.Ordinal);
    }

    private static async Task JoinAsync(GameSocket one, GameSocket two, bool realtime)
    {
        var port = FreePorts.Find();
        await one.AskAsync(new Request { CreateGame = Game.CreateForOne(seed: 2, realtime, participants: 2) });
        var joined = await Task.WhenAll(
            two.AskAsync(new Request { JoinGame = Pair.Join(Race.Zerg, "two", port) }),
            one.AskAsync(new Request { JoinGame = Pair.Join(Race.Terran, "one", port) }));
        Assert.All(joined, j => Assert.False(j.JoinGame.HasError, j.JoinGame.ErrorDetails));
        Assert.Equal([2u, 1u], joined.Select(j => j.JoinGame.PlayerId));
    }

    // The unit types that the known game does not have.
    private static async Task<string> NewUnitsAsync(GameSocket client)
    {
        var seen = await client.AskAsync(new Request { Observation = new RequestObservation() });
        return string.Join(' ', seen.Observation.Observation.RawData.Units.Select(unit => unit.UnitType).Where(type => type >= 6000));
    }

    // The other game has left, or is leaving: the match ends within the requested steps.
    private static async Task AssertWonAsync(GameSocket client, bool ended)
    {
        var status = Status.InGame;
        while (status != Status.Ended)
        {
            var request = ended
                ? new Request { Observation = new RequestObservation() }
                : new Request { Step = new RequestStep() };
            status = (await client.AskAsync(request)).Status;
        }

        ResponseObservation seen;
        do
        {
            seen = (await client.AskAsync(new Request { Observation = new RequestObservation() })).Observation;
        }
        while (seen.PlayerResult.Count == 0);
        Assert.Equal(Result.Victory, seen.PlayerResult.Single(r => r.PlayerId == 1).Result);
    }
}
