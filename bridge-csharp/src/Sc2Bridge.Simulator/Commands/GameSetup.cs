using SC2APIProtocol;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Everything that determines a match, except the players' actions.</summary>
/// <param name="Map">The map.</param>
/// <param name="Seed">The seed of all random numbers.</param>
/// <param name="Players">The players, in the order of their ids.</param>
internal sealed record GameSetup(GameMap Map, uint Seed, IReadOnlyList<PlayerSpec> Players)
{
    /// <summary>
    /// The players and, on a map without triggers, the empty seats. Debug commands can make units for an empty seat: cpp-sc2's
    /// tests with one participant do (71510f6, tests/test_observation_interface.cc:217).
    /// </summary>
    public IReadOnlyList<PlayerSpec> Seats => Map is { Melee: false, Scenario: null }
        ? [.. Players, .. Enumerable.Repeat(PlayerSpec.Nobody, Map.Starts.Length - Players.Count)]
        : Players;

    /// <summary>Whether all players see the whole map.</summary>
    public bool DisableFog { get; init; }

    /// <summary>Whether the match runs in real time.</summary>
    public bool Realtime { get; init; }

    /// <summary>The loop at which the match ends in a tie.</summary>
    public int LongestMatch { get; init; } = GameWorld.LastLoop;

    /// <summary>The setup as a message of the API, for a replay or another process.</summary>
    public RequestCreateGame ToMessage()
    {
        var message = new RequestCreateGame
        {
            LocalMap = Map.Scenario is null
                ? new LocalMap { MapPath = Map.FileName }
                : new LocalMap { MapPath = Map.FileName, MapData = Map.Scenario.File },
            RandomSeed = Seed,
            DisableFog = DisableFog,
            Realtime = Realtime,
        };
        message.PlayerSetup.AddRange(Players.Select(p => new PlayerSetup
        {
            Type = p.Type,
            Race = p.Race,
            Difficulty = p.Difficulty,
            AiBuild = p.Build,
            PlayerName = p.Name,
        }));
        return message;
    }

    /// <summary>Reads a message of <see cref="ToMessage"/>.</summary>
    /// <param name="message">The message, from a file or another process. It is not trusted.</param>
    /// <param name="longestMatch">The loop at which the match ends in a tie.</param>
    /// <exception cref="FormatException">It is not a valid setup.</exception>
    public static GameSetup FromMessage(RequestCreateGame message, int longestMatch)
    {
        var name = message.LocalMap?.MapPath ?? "";
        var map = Scenario.MapOf(message.LocalMap) ?? GameMap.Find(name) ?? throw new FormatException($"there is no map '{name}' in this version");
        if (message.PlayerSetup.Count == 0 || message.PlayerSetup.Count > map.Starts.Length
            || (map.Scenario is { } scenario && message.PlayerSetup.Count != scenario.Players.Count))
        {
            throw new FormatException($"{message.PlayerSetup.Count} players do not fit the map {map.Name}");
        }

        if (longestMatch is < 1 or > GameWorld.LastLoop || message.PlayerSetup.Any(p => p.Type == PlayerType.Observer))
        {
            throw new FormatException("its setup is invalid");
        }

        return new GameSetup(map, message.RandomSeed, [.. message.PlayerSetup.Select(Spec)])
        {
            DisableFog = message.DisableFog,
            Realtime = message.Realtime,
            LongestMatch = longestMatch,
        };
    }

    /// <summary>The player of a seat. Missing values are random, or the easiest.</summary>
    public static PlayerSpec Spec(PlayerSetup seat) => new(
        seat.Type,
        seat.HasRace && seat.Race != Race.NoRace ? seat.Race : Race.Random,
        seat.HasDifficulty ? seat.Difficulty : Difficulty.VeryEasy,
        seat.HasAiBuild ? seat.AiBuild : AIBuild.RandomBuild,
        seat.PlayerName);
}
