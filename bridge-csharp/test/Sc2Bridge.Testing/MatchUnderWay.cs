using System.Net.WebSockets;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Testing;

/// <summary>A simulated game in a match that its client has left standing.</summary>
public static class MatchUnderWay
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
        await using var client = await ConnectAsync(game, ct);
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

    /// <summary>Has a client watch a replay for a while, and go.</summary>
    /// <param name="replay">The replay's bytes.</param>
    /// <param name="steps">How many game loops are watched.</param>
    /// <param name="ct">Gives up.</param>
    public static async Task<SimulatedGameServer> StartReplayAsync(byte[] replay, uint steps, CancellationToken ct)
    {
        var game = await SimulatedGameServer.StartAsync(new SimulatorOptions(), ct);
        await using var client = await ConnectAsync(game, ct);
        var start = new RequestStartReplay
        {
            ReplayData = Google.Protobuf.ByteString.CopyFrom(replay),
            Options = new InterfaceOptions { Raw = true, Score = true },
        };
        await client.SendAsync(new Request { StartReplay = start }, ct);
        await client.SendAsync(new Request { Step = new RequestStep { Count = steps } }, ct);
        return game;
    }

    private static async Task<GameClient> ConnectAsync(SimulatedGameServer game, CancellationToken ct)
    {
        var socket = new ClientWebSocket();
        socket.Options.KeepAliveInterval = Timeout.InfiniteTimeSpan;
        await socket.ConnectAsync(new GameAddress("127.0.0.1", game.Port).Api, ct);
        return new GameClient(socket, new GameClientOptions());
    }
}
