using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>A player as asked for.</summary>
public sealed record PlayerSpec
{
    private const string Elite = "Elite";

    private PlayerSpec(PlayerKind kind, Race race)
    {
        Kind = kind;
        Race = race;
    }

    /// <summary>Who plays it: a computer, agents of the bridge, or a bot that speaks the game's own API.</summary>
    public PlayerKind Kind { get; }

    /// <summary>Terran, Zerg, Protoss or Random.</summary>
    public Race Race { get; }

    /// <summary>A computer's level, by the API's name. Players call <c>VeryHard</c> Elite.</summary>
    public Difficulty Difficulty { get; private init; }

    /// <summary>A computer's plan; null leaves it to the game.</summary>
    public AIBuild? Build { get; private init; }

    /// <summary>A computer.</summary>
    public static PlayerSpec Computer(Race race, Difficulty difficulty, AIBuild? build = null) =>
        new(PlayerKind.Computer, race) { Difficulty = difficulty, Build = build };

    /// <summary>A side that agents play.</summary>
    public static PlayerSpec Agent(Race race) => new(PlayerKind.Agent, race);

    /// <summary>A side that an unmodified bot plays, which says its race itself as it joins.</summary>
    public static PlayerSpec Api(Race race) => new(PlayerKind.Api, race);

    /// <summary>
    /// Reads <c>computer:RACE:DIFFICULTY</c>, with <c>:BUILD</c> after it where wanted, <c>agent:RACE</c> or
    /// <c>api:RACE</c>; case does not matter.
    /// </summary>
    /// <exception cref="GameException">It is none; the message says what there is.</exception>
    public static PlayerSpec Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var parts = text.Split(':', StringSplitOptions.TrimEntries);
        return (parts[0].ToLowerInvariant(), parts.Length) switch
        {
            ("computer", 3 or 4) => Computer(
                Named(text, parts[1], "race", except: Race.NoRace),
                parts[2].Equals(Elite, StringComparison.OrdinalIgnoreCase)
                    ? Difficulty.VeryHard
                    : Named<Difficulty>(text, parts[2], "difficulty", except: default, more: $" ({Elite} is VeryHard)"),
                parts.Length == 4 ? Named<AIBuild>(text, parts[3], "build", except: default) : null),
            ("agent", 2) => Agent(Named(text, parts[1], "race", except: Race.NoRace)),
            ("api", 2) => Api(Named(text, parts[1], "race", except: Race.NoRace)),
            ("computer", 1 or 2) => throw new GameException(
                $"'{text}' lacks a {(parts.Length == 1 ? "race and a " : "")}difficulty: write computer:RACE:DIFFICULTY, such as computer:terran:VeryHard"),
            ("agent" or "api", 1) => throw new GameException($"'{text}' lacks a race: write {parts[0]}:RACE, such as {parts[0]}:terran"),
            _ => throw new GameException(
                $"'{text}' is not a player: write computer:RACE:DIFFICULTY, such as computer:terran:VeryHard, agent:RACE or api:RACE"
                + ClosestWord.Hint(parts[0], ["computer", "agent", "api"])),
        };
    }

    /// <summary>The player as it is described to agents.</summary>
    /// <param name="id">Its number.</param>
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

    private static T Named<T>(string text, string name, string what, T except, string more = "")
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
            // Players leave out the beginning of CheatInsane.
            + ClosestWord.Hint(names.Contains($"Cheat{name}", StringComparer.OrdinalIgnoreCase) ? $"Cheat{name}" : name, names));
    }
}
