using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>A match of the simulated game. Tests can send it requests while it is recorded.</summary>
internal sealed class SimulatedRecording
{
    private readonly List<byte[]> _observations = [];

    /// <summary>A participant against the easiest computer.</summary>
    public SimulatedRecording(Race race)
    {
        Game = new SimulatedGame(new SimulatorOptions());
        var create = PlayedGame.Create();
        create.RandomSeed = 3;
        create.PlayerSetup[1].Difficulty = Difficulty.VeryEasy;
        Ask(new Request { CreateGame = create });
        Ask(new Request { JoinGame = PlayedGame.Participant(race) });
        Observe();
    }

    public SimulatedGame Game { get; }

    /// <summary>The current observation.</summary>
    public Observation Now => ResponseObservation.Parser.ParseFrom(_observations[^1]).Observation;

    /// <summary>The current step.</summary>
    public int Step => _observations.Count - 1;

    /// <summary>All observations so far.</summary>
    public IReadOnlyList<byte[]> Observations => _observations;

    /// <summary>The recording's description of the match.</summary>
    public MatchDescription Describe()
    {
        var info = Ask(new Request { GameInfo = new RequestGameInfo() }).GameInfo;
        var all = new RequestData
        {
            AbilityId = true,
            UnitTypeId = true,
            UpgradeId = true,
            BuffId = true,
            EffectId = true,
        };
        return new MatchDescription
        {
            MatchId = "simulated",
            MapName = info.MapName,
            Perspectives = { 1 },
            GameInfo = info,
            Data = Ask(new Request { Data = all }).Data,
            Ping = Ask(new Request { Ping = new RequestPing() }).Ping,
        };
    }

    public Response Ask(Request request)
    {
        var response = Game.Handle(request);
        Assert.Empty(response.Error);
        return response;
    }

    /// <summary>Plays this many loops in one step, and observes.</summary>
    public void Play(uint loops)
    {
        Ask(new Request { Step = new RequestStep { Count = loops } });
        Observe();
    }

    public void Create(uint type, Point2D at, uint count = 1, int owner = 1) => Ask(new Request
    {
        Debug = new RequestDebug
        {
            Debug =
            {
                new DebugCommand
                {
                    CreateUnit = new DebugCreateUnit { UnitType = type, Owner = owner, Pos = at, Quantity = count },
                },
            },
        },
    });

    private void Observe() =>
        _observations.Add(Ask(new Request { Observation = new RequestObservation() }).Observation.ToByteArray());
}
