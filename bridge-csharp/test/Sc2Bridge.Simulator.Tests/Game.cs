using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Tests;

/// <summary>Creates games for tests.</summary>
internal static class Game
{
    public const string Map = "Cinder Fortress LE";

    /// <summary>Computers, and a free place for an observer.</summary>
    public static RequestCreateGame Create(
        uint seed = 1,
        Difficulty first = Difficulty.VeryHard,
        Difficulty second = Difficulty.VeryHard,
        bool realtime = false)
    {
        var create = Empty(seed, realtime);
        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Computer, Race = Race.Terran, Difficulty = first });
        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Computer, Race = Race.Zerg, Difficulty = second });
        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Observer });
        return create;
    }

    /// <summary>One participant against the easiest computer.</summary>
    public static RequestCreateGame CreateForOne(uint seed = 1, bool realtime = false, int participants = 1)
    {
        var create = Empty(seed, realtime);
        for (var i = 0; i < 2; i++)
        {
            create.PlayerSetup.Add(i < participants
                ? new PlayerSetup { Type = PlayerType.Participant }
                : new PlayerSetup { Type = PlayerType.Computer, Race = Race.Zerg, Difficulty = Difficulty.VeryEasy });
        }

        return create;
    }

    /// <summary>A single participant on the map without triggers.</summary>
    public static RequestCreateGame CreateAlone() => new()
    {
        LocalMap = new LocalMap { MapPath = "Empty128" },
        RandomSeed = 1,
        PlayerSetup = { new PlayerSetup { Type = PlayerType.Participant } },
    };

    public static InterfaceOptions Options => new() { Raw = true, Score = true };

    public static RequestJoinGame Join(uint observed = 0) => new() { ObservedPlayerId = observed, Options = Options };

    public static RequestJoinGame JoinAs(Race race, string name = "") =>
        new() { Race = race, PlayerName = name, Options = Options };

    /// <summary>A game of computers that an observer has joined.</summary>
    public static SimulatedGame Joined(RequestCreateGame create, uint observed = 0, SimulatorOptions? options = null) =>
        Joined(create, Join(observed), options);

    /// <summary>A game that a client has joined.</summary>
    public static SimulatedGame Joined(RequestCreateGame create, RequestJoinGame join, SimulatorOptions? options = null)
    {
        var game = new SimulatedGame(options ?? new SimulatorOptions());
        Assert.Empty(game.Handle(new Request { CreateGame = create }).Error);
        var joined = game.Handle(new Request { JoinGame = join });
        Assert.False(joined.JoinGame.HasError, joined.JoinGame.ErrorDetails);
        return game;
    }

    /// <summary>A participant's game against the easiest computer.</summary>
    public static SimulatedGame Played(uint seed = 1, Race race = Race.Terran, SimulatorOptions? options = null) =>
        Joined(CreateForOne(seed), JoinAs(race), options);

    /// <summary>Creates and joins a game of computers behind a socket.</summary>
    public static async Task JoinAsync(this GameSocket client, bool realtime = false)
    {
        await client.AskAsync(new Request { CreateGame = Create(realtime: realtime) });
        Assert.Equal(Status.InGame, (await client.AskAsync(new Request { JoinGame = Join() })).Status);
    }

    public static Response Step(this SimulatedGame game, uint count = 1) =>
        game.Handle(new Request { Step = new RequestStep { Count = count } });

    public static Response Observe(this SimulatedGame game) =>
        game.Handle(new Request { Observation = new RequestObservation() });

    public static ResponseAction Act(this SimulatedGame game, params SC2APIProtocol.Action[] actions)
    {
        var request = new RequestAction();
        request.Actions.AddRange(actions);
        return game.Handle(new Request { Action = request }).Action;
    }

    public static Response Debug(this SimulatedGame game, params DebugCommand[] commands)
    {
        var request = new RequestDebug();
        request.Debug.AddRange(commands);
        return game.Handle(new Request { Debug = request });
    }

    public static SC2APIProtocol.Action Say(string message) =>
        new() { ActionChat = new ActionChat { Message = message } };

    public static Point2D At(float x, float y) => new() { X = x, Y = y };

    /// <summary>A debug command that ends the game.</summary>
    public static DebugCommand End(DebugEndGame.Types.EndResult result) =>
        new() { EndGame = new DebugEndGame { EndResult = result } };

    private static RequestCreateGame Empty(uint seed, bool realtime) => new()
    {
        LocalMap = new LocalMap { MapPath = Map },
        RandomSeed = seed,
        Realtime = realtime,
    };
}
