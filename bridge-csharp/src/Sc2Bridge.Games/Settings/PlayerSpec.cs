using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>The settings of a player.</summary>
public sealed record PlayerSpec
{
    private const string Elite = "Elite";

    private PlayerSpec(PlayerKind kind, Race race)
    {
        Kind = kind;
        Race = race;
    }

    /// <summary>The kind of player: a computer, agents of the bridge, or a bot that uses the game's own API.</summary>
    public PlayerKind Kind { get; }

    /// <summary>Terran, Zerg, Protoss or Random.</summary>
    public Race Race { get; }

    /// <summary>A computer's level, with the API's name. Players call <c>VeryHard</c> "Elite".</summary>
    public Difficulty Difficulty { get; private init; }

    /// <summary>A computer's strategy; null lets the game choose.</summary>
    public AIBuild? Build { get; private init; }

    /// <summary>Makes a player that is a computer of the game.</summary>
    public static PlayerSpec Computer(Race race, Difficulty difficulty, AIBuild? build = null) =>
        new(PlayerKind.Computer, race) { Difficulty = difficulty, Build = build };

    /// <summary>Makes a player that agents of the bridge control.</summary>
    public static PlayerSpec Agent(Race race) => new(PlayerKind.Agent, race);

    /// <summary>Makes a player that an unmodified bot controls. The bot chooses its race when it joins.</summary>
    public static PlayerSpec Api(Race race) => new(PlayerKind.Api, race);

    /// <summary>
    /// Reads <c>computer:RACE:DIFFICULTY</c>, <c>computer:RACE:DIFFICULTY:BUILD</c>, <c>agent:RACE</c> or <c>api:RACE</c>. Letter case
    /// does not matter.
    /// </summary>
    /// <exception cref="GameException">The text does not describe a player. The message lists the valid words.</exception>
    public static PlayerSpec Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var parts = text.Split(':', StringSplitOptions.TrimEntries);
        return (parts[0].ToLowerInvariant(), parts.Length) switch
        {
            ("computer", 3 or 4) => Computer(
                ParseName(text, parts[1], "race", except: Race.NoRace),
                parts[2].Equals(Elite, StringComparison.OrdinalIgnoreCase)
                    ? Difficulty.VeryHard
                    : ParseName<Difficulty>(text, parts[2], "difficulty", except: default, more: $" ({Elite} is VeryHard)"),
                parts.Length == 4 ? ParseName<AIBuild>(text, parts[3], "build", except: default) : null),
            ("agent", 2) => Agent(ParseName(text, parts[1], "race", except: Race.NoRace)),
            ("api", 2) => Api(ParseName(text, parts[1], "race", except: Race.NoRace)),
            ("computer", 2) when ParseName(text, parts[1], "race", except: Race.NoRace) is var race => throw new GameException(
                $"'{text}' lacks a difficulty: write computer:RACE:DIFFICULTY, such as computer:{race}:VeryHard"),
            ("computer", 1) => throw new GameException(
                $"'{text}' lacks a race and a difficulty: write computer:RACE:DIFFICULTY, such as computer:terran:VeryHard"),
            ("agent" or "api", 1) => throw new GameException($"'{text}' lacks a race: write {parts[0]}:RACE, such as {parts[0]}:terran"),
            ("agent" or "api", _) => throw new GameException($"'{text}' has too many parts: write {parts[0]}:RACE, such as {parts[0]}:terran"),
            ("computer", _) => throw new GameException($"'{text}' has too many parts: write computer:RACE:DIFFICULTY:BUILD at most"),
            _ => throw new GameException(
                $"'{text}' is not a player: write computer:RACE:DIFFICULTY, such as computer:terran:VeryHard, agent:RACE or api:RACE"
                + ClosestWord.Hint(parts[0], ["computer", "agent", "api"])),
        };
    }

    /// <summary>The player's description for agents.</summary>
    /// <param name="id">The player's id.</param>
    public Player Describe(uint id) => new()
    {
        PlayerId = id,
        Kind = Kind,
        Race = (PlayerRace)Race,
        Difficulty = Kind == PlayerKind.Computer ? Difficulty.ToString() : "",
    };

    /// <inheritdoc/>
    public override string ToString() => Kind switch
    {
        PlayerKind.Agent => $"agent:{Race}",
        PlayerKind.Api => $"api:{Race}",
        _ => $"computer:{Race}:{Difficulty}{(Build is null ? "" : $":{Build}")}",
    };

    private static T ParseName<T>(string text, string name, string what, T except, string more = "")
        where T : struct, Enum
    {
        var known = Enum.GetValues<T>().Where(value => !value.Equals(except)).ToArray();
        foreach (var value in known)
        {
            if (name.Equals(value.ToString(), StringComparison.OrdinalIgnoreCase))
            {
                return value;
            }
        }

        string[] names = [.. known.Select(value => value.ToString())];
        throw new GameException(
            $"player '{text}': '{name}' is not a {what}: write {string.Join(", ", names[..^1])} or {names[^1]}{more}"
            // Many users write CheatInsane without "Cheat".
            + ClosestWord.Hint(names.Contains($"Cheat{name}", StringComparer.OrdinalIgnoreCase) ? $"Cheat{name}" : name, names));
    }
}
