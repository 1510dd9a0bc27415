using System.Net.WebSockets;
using SC2APIProtocol;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Games.Tests.StandIn;

/// <summary>A simulated game in a match that its client has left standing.</summary>
internal static class MatchUnderWay
{
    /// <summary>Has a client play a match of a player against a computer for a while, and go.</summary>
    /// <param name="options">The game.</param>
    /// <param name="realtime">Whether its clock moves it.</param>
    /// <param name="steps">How many game loops are played, where it does not.</param>
    /// <param name="ct">Gives up.</param>
    public static async Task<SimulatedGameServer> StartAsync(
        SimulatorOptions options, bool realtime, uint steps, CancellationToken ct)
    {
        var game = await SimulatedGameServer.StartAsync(options, ct);
        var socket = new ClientWebSocket();
        socket.Options.KeepAliveInterval = Timeout.InfiniteTimeSpan;
        await socket.ConnectAsync(new GameAddress("127.0.0.1", game.Port).Api, ct);
        await using var client = new GameClient(socket, new GameClientOptions());
        var create = new RequestCreateGame
        {
            LocalMap = new LocalMap { MapPath = "CinderFortressLE.SC2Map" },
            RandomSeed = 4,
            Realtime = realtime,
            PlayerSetup =
            {
                new PlayerSetup { Type = PlayerType.Participant },
                new PlayerSetup { Type = PlayerType.Computer, Race = Race.Zerg, Difficulty = Difficulty.VeryEasy },
            },
        };
        var interfaces = new InterfaceOptions { Raw = true, Score = true };
        await client.SendAsync(new Request { CreateGame = create }, ct);
        await client.SendAsync(
            new Request { JoinGame = new RequestJoinGame { Race = Race.Terran, Options = interfaces } }, ct);
        if (!realtime)
        {
            await client.SendAsync(new Request { Step = new RequestStep { Count = steps } }, ct);
        }

        return game;
    }
}
