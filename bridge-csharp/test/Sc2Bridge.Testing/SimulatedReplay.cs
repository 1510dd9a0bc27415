using SC2APIProtocol;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Testing;

/// <summary>Replays of the simulated game, from the match that <c>sc2bridge match</c> plays by default.</summary>
public static class SimulatedReplay
{
    /// <summary>A replay's bytes.</summary>
    /// <param name="loops">Its number of loops.</param>
    /// <param name="baseBuild">The build of the game that saved it; 0 for a replay without a build.</param>
    /// <param name="dataVersion">The version of that game's data.</param>
    /// <param name="races">The races of the computers. Default: the races of the match.</param>
    public static byte[] Make(
        uint loops, uint baseBuild = 0, string dataVersion = SimulatedGame.UsualDataVersion, params Race[] races)
    {
        var game = new SimulatedGame(new SimulatorOptions { BaseBuild = baseBuild, DataVersion = dataVersion });
        var create = new RequestCreateGame
        {
            LocalMap = new LocalMap { MapPath = "Cinder Fortress LE" },
            RandomSeed = SimulatorDefaults.Seed,
        };
        Race[] players = races.Length == 0 ? [Race.Terran, Race.Zerg] : races;
        create.PlayerSetup.AddRange(players.Select(race => new PlayerSetup
        {
            Type = PlayerType.Computer,
            Race = race,
            Difficulty = Difficulty.VeryHard,
        }));
        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Observer });
        Ask(new Request { CreateGame = create });
        Ask(new Request { JoinGame = new RequestJoinGame { ObservedPlayerId = 0, Options = new() { Raw = true } } });
        if (loops > 0)
        {
            Ask(new Request { Step = new RequestStep { Count = loops } });
        }

        return Ask(new Request { SaveReplay = new RequestSaveReplay() }).SaveReplay.Data.ToByteArray();

        Response Ask(Request request)
        {
            var response = game.Handle(request);
            Assert.Empty(response.Error);
            return response;
        }
    }
}
