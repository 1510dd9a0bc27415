using Google.Protobuf;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Tests.Scenarios;

/// <summary>Scenarios for tests.</summary>
internal static class Arenas
{
    /// <summary>The scenario files of the repository.</summary>
    public static IReadOnlyList<string> Files { get; } =
        [.. Directory.GetFiles(Path.Combine(PeerEnvironment.RepositoryRoot, "scenarios"), "*.json").Order(StringComparer.Ordinal)];

    public static RequestCreateGame Create(string json, uint seed = 1, PlayerType first = PlayerType.Computer, int players = 2)
    {
        var create = new RequestCreateGame
        {
            LocalMap = new LocalMap { MapPath = "arena.SC2Map", MapData = ByteString.CopyFromUtf8(json) },
            RandomSeed = seed,
        };
        for (var i = 0; i < players; i++)
        {
            create.PlayerSetup.Add(new PlayerSetup
            {
                Type = i == 0 ? first : PlayerType.Computer,
                Race = Race.Terran,
                Difficulty = Difficulty.VeryHard,
            });
        }

        return create;
    }

    /// <summary>A game with one participant.</summary>
    public static SimulatedGame Played(string json, uint seed = 1, int players = 2) =>
        Game.Joined(Create(json, seed, PlayerType.Participant, players), Game.JoinAs(Race.Terran));

    /// <summary>A scenario of two sides on flat ground.</summary>
    public static string Flat(string first, string second, string more = "") => $$"""
        { "map": [32, 32], "players": [{ "race": "Terran", {{first}} }, { "race": "Zerg", {{second}} }]{{more}} }
        """;

    public static string Units(string type, int count, double x, double y) =>
        FormattableString.Invariant($$"""
            "units": [{ "type": "{{type}}", "count": {{count}}, "at": [{{x}}, {{y}}] }]
            """);

    /// <summary>A player's units in the current observation.</summary>
    public static IEnumerable<SC2APIProtocol.Unit> Units(this SimulatedGame game, int owner) =>
        game.Observe().Observation.Observation.RawData.Units.Where(unit => unit.Owner == owner);

    /// <summary>Steps to the end, or to this loop. Returns the results by player.</summary>
    public static Result[] Play(this SimulatedGame game, int loops = 4000)
    {
        for (var loop = 0; loop < loops && game.Status != Status.Ended; loop += 8)
        {
            game.Step(8);
        }

        return [.. game.Observe().Observation.PlayerResult.OrderBy(r => r.PlayerId).Select(r => r.Result)];
    }
}
