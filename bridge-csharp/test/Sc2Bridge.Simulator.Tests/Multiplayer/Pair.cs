using System.Buffers;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Multiplayer;

namespace Sc2Bridge.Simulator.Tests.Multiplayer;

/// <summary>Two games that play one match. The test passes their bytes on, in pieces of any size.</summary>
internal sealed class Pair
{
    private readonly Random _random = new(9);
    private readonly ArrayBufferWriter<byte>?[] _answers = [null, null];
    private bool _connected;

    public Pair(bool realtime = false, SimulatorOptions? options = null, RequestJoinGame? second = null)
    {
        Games = [new SimulatedGame(options ?? new SimulatorOptions()), new SimulatedGame(options ?? new SimulatorOptions())];
        Games[0].Handle(new Request { CreateGame = Game.CreateForOne(seed: 8, realtime, participants: 2) });
        Begin(1, new Request { JoinGame = second ?? Join(Race.Zerg, "guest") });
        Assert.Null(TryAnswer(1));
        Begin(0, new Request { JoinGame = Join(Race.Protoss, "host") });
        Links = [Games[0].Link!, Games[1].Link!];
        Pump();
        Joined = [TryAnswer(0), TryAnswer(1)];
    }

    public SimulatedGame[] Games { get; }

    public PeerLink[] Links { get; }

    /// <summary>Each game's answer to its join request.</summary>
    public Response?[] Joined { get; }

    public static RequestJoinGame Join(Race race, string name, int port = 5001)
    {
        var join = Game.JoinAs(race, name);
        join.ServerPorts = new PortSet { GamePort = port, BasePort = port + 1 };
        join.ClientPorts.Add(new PortSet { GamePort = port + 2, BasePort = port + 3 });
        return join;
    }

    /// <summary>Sends a request that may have to wait to one game.</summary>
    public void Begin(int side, Request request)
    {
        _answers[side] = new ArrayBufferWriter<byte>();
        Games[side].Begin(request);
    }

    /// <summary>The game's answer. Null while it waits.</summary>
    public Response? TryAnswer(int side) =>
        Games[side].TryFinish(_answers[side]!) ? Response.Parser.ParseFrom(_answers[side]!.WrittenSpan) : null;

    /// <summary>Steps both games. Returns their answers.</summary>
    public Response[] Step(uint first = 1, uint second = 1)
    {
        Begin(0, new Request { Step = new RequestStep { Count = first } });
        Begin(1, new Request { Step = new RequestStep { Count = second } });
        Pump();
        return [TryAnswer(0)!, TryAnswer(1)!];
    }

    /// <summary>Passes bytes on in both directions until none are left.</summary>
    public void Pump()
    {
        if (!_connected)
        {
            _connected = true;
            Array.ForEach(Links, link => link.Connected());
        }

        for (var moved = true; moved;)
        {
            moved = false;
            for (var side = 0; side < 2; side++)
            {
                foreach (var message in Links[side].DrainOutgoing())
                {
                    for (var at = 0; at < message.Length;)
                    {
                        var count = Math.Min(_random.Next(1, 40), message.Length - at);
                        Links[1 - side].Received(message.AsSpan(at, count));
                        at += count;
                    }

                    moved = true;
                }
            }

            foreach (var game in Games)
            {
                game.Advance();
            }
        }
    }
}
