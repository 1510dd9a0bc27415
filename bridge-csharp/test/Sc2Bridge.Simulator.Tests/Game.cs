using SC2APIProtocol;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Tests;

/// <summary>Makes games to test.</summary>
internal static class Game
{
    public static RequestCreateGame Create(
        uint seed = 1, Difficulty first = Difficulty.VeryHard, Difficulty second = Difficulty.VeryHard,
            bool realtime = false)
    {
        var create = new RequestCreateGame
        {
            LocalMap = new LocalMap { MapPath = "Cinder Fortress LE" },
            RandomSeed = seed,
            Realtime = realtime,
        };
        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Computer, Race = Race.Terran, Difficulty = first });
        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Computer, Race = Race.Zerg, Difficulty = second });
        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Observer });
        return create;
    }

    public static RequestJoinGame Join(uint observed = 0) => new()
    {
        ObservedPlayerId = observed,
        Options = new InterfaceOptions { Raw = true, Score = true },
    };

    public static GameApi Joined(RequestCreateGame create, uint observed = 0, SimulatorOptions? options = null)
    {
        var game = new GameApi(options ?? new SimulatorOptions());
        Assert.Empty(game.Handle(new Request { CreateGame = create }).Error);
        var joined = game.Handle(new Request { JoinGame = Join(observed) });
        Assert.False(joined.JoinGame.HasError, joined.JoinGame.ErrorDetails);
        return game;
    }

    public static Response Step(this GameApi game, uint count) =>
        game.Handle(new Request { Step = new RequestStep { Count = count } });

    public static Response Observe(this GameApi game) =>
        game.Handle(new Request { Observation = new RequestObservation() });
}
