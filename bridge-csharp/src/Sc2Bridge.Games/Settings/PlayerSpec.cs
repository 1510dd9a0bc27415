using SC2APIProtocol;

namespace Sc2Bridge.Games;

/// <summary>A player as asked for: a computer that the game itself plays.</summary>
/// <param name="Race">Terran, Zerg, Protoss or Random.</param>
/// <param name="Difficulty">The API's level: what players call Elite is <c>VeryHard</c>.</param>
/// <param name="Build">The computer's plan; null leaves it to the game.</param>
public sealed record PlayerSpec(Race Race, Difficulty Difficulty, AIBuild? Build = null)
{
    /// <summary>
    /// Reads <c>computer:RACE:DIFFICULTY</c>, with <c>:BUILD</c> after it where wanted; case does not matter.
    /// </summary>
    /// <exception cref="GameException">It is none; the message says what there is.</exception>
    public static PlayerSpec Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var parts = text.Split(':', StringSplitOptions.TrimEntries);
        var kind = parts[0].ToLowerInvariant();
        if (kind is "agent" or "api")
        {
            throw new GameException(
                $"Player '{text}': playing agents are not there yet. Use computer:RACE:DIFFICULTY, and let agents " +
                "watch.");
        }

        if (kind != "computer" || parts.Length is < 3 or > 4)
        {
            throw new GameException(
                $"Player '{text}' is not understood. Write computer:RACE:DIFFICULTY, such as " +
                "computer:terran:VeryHard.");
        }

        return new PlayerSpec(
            Named<Race>(text, parts[1], "race", except: Race.NoRace),
            parts[2].Equals("Elite", StringComparison.OrdinalIgnoreCase)
                ? Difficulty.VeryHard
                : Named<Difficulty>(text, parts[2], "difficulty", except: default),
            parts.Length == 4 ? Named<AIBuild>(text, parts[3], "build", except: default) : null);
    }

    /// <inheritdoc/>
    public override string ToString() => $"computer:{Race}:{Difficulty}{(Build is null ? "" : $":{Build}")}";

    private static T Named<T>(string text, string name, string what, T except)
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

        throw new GameException(
            $"Player '{text}': there is no {what} '{name}'. There is {string.Join(", ", known)}.");
    }
}
