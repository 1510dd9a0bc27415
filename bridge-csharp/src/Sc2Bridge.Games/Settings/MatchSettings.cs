using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>A match as asked for. What is not said is what <c>sc2bridge match</c> plays with no option.</summary>
public sealed record MatchSettings
{
    /// <summary>The usual <see cref="StepLimit"/>.</summary>
    public const int UsualStepLimit = 30_000;

    // As many API clients play one game at most.
    private const int MostSides = 2;

    /// <summary>The match's name; unique where none is given.</summary>
    public string Match { get; init; } = NewName();

    /// <summary>A map's name as people write it, or the path of a <c>.SC2Map</c> file.</summary>
    public string Map { get; init; } = "Cinder Fortress LE";

    /// <summary>What is played in place of a usual match; null for that. The simulated game alone takes it.</summary>
    public Scenario? Scenario { get; init; }

    /// <summary>Who plays: computers, or agents on one side.</summary>
    public IReadOnlyList<PlayerSpec> Players { get; init; } =
        [
            PlayerSpec.Computer(Race.Terran, Difficulty.VeryHard),
            PlayerSpec.Computer(Race.Zerg, Difficulty.VeryHard),
        ];

    /// <summary>The game's random seed; null leaves it to the game.</summary>
    public uint? Seed { get; init; }

    /// <summary>
    /// Game loops from one observation to the next, at least 1; in real time how far the next one is waited for.
    /// </summary>
    public uint StepSize { get; init; } = 1;

    /// <summary>How fast it goes.</summary>
    public StepRate Rate { get; init; } = StepRate.Max;

    /// <summary>The most observations that are published; 0 for no limit. Two Elites of the simulated game need up to 28,000 loops.</summary>
    public ulong StepLimit { get; init; } = UsualStepLimit;

    /// <summary>
    /// The observer's perspective: 0 sees all, N as player N does. Where agents play, nobody observes: there is their
    /// perspective.
    /// </summary>
    public uint Observe { get; init; }

    /// <summary>
    /// The places in <see cref="Players"/> of those who are no computers: each plays on a game process of its own. None
    /// where computers play, whom one observes.
    /// </summary>
    public IReadOnlyList<int> Sides =>
        [.. Enumerable.Range(0, Players.Count).Where(place => Players[place].Kind != V1.PlayerKind.Computer)];

    /// <summary>Whether somebody plays who is no computer.</summary>
    public bool HasAgents => Sides.Count > 0;

    /// <summary>Lifts the fog of war.</summary>
    public bool DisableFog { get; init; }

    /// <summary>What observations hold.</summary>
    public InterfaceOptions Interface { get; init; } = DefaultInterface();

    /// <summary>Observations of units, map state and score; every option is set, as a client of the game's API would do.</summary>
    public static InterfaceOptions DefaultInterface() => new()
    {
        Raw = true,
        Score = true,
        ShowCloaked = false,
        ShowBurrowedShadows = false,
        ShowPlaceholders = false,
        RawAffectsSelection = false,
        RawCropToPlayableArea = false,
    };

    /// <summary>A name for a match that no other has.</summary>
    public static string NewName() => $"match-{Guid.NewGuid():N}"[..14];

    /// <summary>The match as far as it is known before a game has been asked.</summary>
    public V1.MatchDescription Describe()
    {
        var description = new V1.MatchDescription
        {
            MatchId = Match,
            MapName = Map,
            Perspectives = { HasAgents ? Sides.Select(place => (uint)place + 1) : [Observe] },
            StepSize = Rate.Realtime ? 0 : StepSize,
            Rate = Rate.Hz,
            Realtime = Rate.Realtime,
            Seed = Seed ?? 0,
            ClockId = ClockId.Read(),
        };
        description.Players.Add(Players.Select((player, place) => player.Describe((uint)place + 1)));
        return description;
    }

    /// <summary>Checks the map before the game is started. Only the simulated game's maps are known by then.</summary>
    /// <param name="game">The game to start; null for one that runs.</param>
    /// <exception cref="GameException">The game has no such map.</exception>
    public void CheckMap(GameLaunch? game)
    {
        if (game is { Simulated: true } && Scenario is null && !File.Exists(Map) && MapName.Find(Map, SimulatedGame.Maps) is null)
        {
            throw MapNames.Unknown(Map, SimulatedGame.Maps);
        }
    }

    /// <summary>Checks what the types do not.</summary>
    /// <exception cref="GameException">A setting is not possible; the message names it.</exception>
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
                $"--observe {Observe}: if an agent or a bot plays, everybody sees what its side sees. Leave it out.");
        }

        if (Observe > Players.Count)
        {
            throw new GameException(
                $"--observe {Observe}: there are {Players.Count} players. Give 0 to see all.");
        }

        if (Match.Length > Streaming.FrameEnvelope.LongestMatchName / 3)
        {
            throw new GameException("The match's name is too long: give at most 100 characters.");
        }
    }
}
