using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>The settings of a match. The defaults are the same as for <c>sc2bridge match</c> without options.</summary>
public sealed record MatchSettings
{
    /// <summary>The default of <see cref="StepLimit"/>.</summary>
    public const int UsualStepLimit = 30_000;

    // StarCraft II lets at most this many API clients play one game.
    private const int MostSides = 2;

    /// <summary>The match's name. The default is unique.</summary>
    public string Match { get; init; } = NewName();

    /// <summary>A map's name as users write it, or the path of a <c>.SC2Map</c> file.</summary>
    public string Map { get; init; } = "Cinder Fortress LE";

    /// <summary>A scenario to play instead of a usual match; null for a usual match. Only the simulated game accepts it.</summary>
    public Scenario? Scenario { get; init; }

    /// <summary>The players: computers, and agents or bots.</summary>
    public IReadOnlyList<PlayerSpec> Players { get; init; } =
        [
            PlayerSpec.Computer(Race.Terran, Difficulty.VeryHard),
            PlayerSpec.Computer(Race.Zerg, Difficulty.VeryHard),
        ];

    /// <summary>The game's random seed; null lets the game choose.</summary>
    public uint? Seed { get; init; }

    /// <summary>
    /// Game loops from one observation to the next, at least 1. In real time, the game sends an observation when its clock reaches the loop.
    /// </summary>
    public uint StepSize { get; init; } = 1;

    /// <summary>The rate of the steps.</summary>
    public StepRate Rate { get; init; } = StepRate.Max;

    /// <summary>The maximum number of observations to publish; 0 for no limit. Two Elite computers of the simulated game play up to 28,000 loops.</summary>
    public ulong StepLimit { get; init; } = UsualStepLimit;

    /// <summary>
    /// The observer's perspective: 0 sees all, N sees what player N sees. If agents play, there is no observer, only the agents'
    /// perspectives.
    /// </summary>
    public uint Observe { get; init; }

    /// <summary>
    /// The indexes in <see cref="Players"/> of the players that are not computers. Each of these players uses a separate
    /// game process. If only computers play, the list is empty, and one client observes the match.
    /// </summary>
    public IReadOnlyList<int> Sides =>
        [.. Enumerable.Range(0, Players.Count).Where(index => Players[index].Kind != V1.PlayerKind.Computer)];

    /// <summary>Whether any player is not a computer.</summary>
    public bool HasAgents => Sides.Count > 0;

    /// <summary>Whether to lift the fog of war.</summary>
    public bool DisableFog { get; init; }

    /// <summary>The contents of the observations.</summary>
    public InterfaceOptions Interface { get; init; } = DefaultInterface.Create();

    /// <summary>A unique name for a match.</summary>
    public static string NewName() => $"match-{Guid.NewGuid():N}"[..14];

    /// <summary>The match's description before the game's information is known.</summary>
    public V1.MatchDescription Describe()
    {
        var description = new V1.MatchDescription
        {
            MatchId = Match,
            MapName = Map,
            Perspectives = { HasAgents ? Sides.Select(index => (uint)index + 1) : [Observe] },
            StepSize = Rate.Realtime ? 0 : StepSize,
            Rate = Rate.Hz,
            Realtime = Rate.Realtime,
            Seed = Seed ?? 0,
            ClockId = ClockId.Read(),
        };
        description.Players.Add(Players.Select((player, index) => player.Describe((uint)index + 1)));
        return description;
    }

    /// <summary>Checks the map before the game is started. Only the maps of the simulated game are known at that time.</summary>
    /// <param name="game">The game to start; null for a game that runs already.</param>
    /// <exception cref="GameException">The game does not have the map.</exception>
    public void CheckMap(GameLaunch? game)
    {
        if (game is { Simulated: true } && Scenario is null && !File.Exists(Map) && MapName.Find(Map, SimulatedGame.Maps) is null)
        {
            throw MapNames.Unknown(Map, SimulatedGame.Maps);
        }
    }

    /// <summary>Rejects settings that are not possible, although their types allow them.</summary>
    /// <exception cref="GameException">A setting is not possible. The message names it.</exception>
    public void Validate()
    {
        if (StepSize is 0 or > 100_000)
        {
            throw new GameException($"Step size {StepSize} is not possible: give 1 to 100000 game loops.");
        }

        if (Players.Count == 0)
        {
            throw new GameException("A match needs a player: give --player computer:RACE:DIFFICULTY at least once.");
        }

        if (Scenario is { } scenario && !scenario.Races.SequenceEqual(Players.Select(player => player.Race)))
        {
            var players = string.Join(" ", scenario.Races.Select(race => $"--player agent:{race}"));
            throw new GameException(
                $"The scenario {scenario.Name} has other players: give {players}, each also as api:RACE or "
                + "computer:RACE:DIFFICULTY.");
        }

        if (Sides.Count > MostSides)
        {
            throw new GameException(
                $"{Sides.Count} sides that agents play are too many: StarCraft II lets {MostSides} clients play one "
                + "match. Give the others as computer:RACE:DIFFICULTY.");
        }

        if (HasAgents && Observe > 0)
        {
            throw new GameException(
                $"--observe {Observe}: if an agent or a bot plays, everybody sees what its side sees. Leave out --observe.");
        }

        if (Observe > Players.Count)
        {
            throw new GameException(
                $"--observe {Observe}: there are {Players.Count} players. Give 0 to see all.");
        }

        if (Match.Length > Streaming.EnvelopeWriter.LongestMatchName / 3)
        {
            throw new GameException($"The match's name is too long ({Match.Length} characters): give at most 100.");
        }
    }
}
