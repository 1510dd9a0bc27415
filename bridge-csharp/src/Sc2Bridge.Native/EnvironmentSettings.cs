using System.Text;
using System.Text.Json;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Native;

/// <summary>The settings of a vector environment, which the caller gives as JSON.</summary>
internal sealed record EnvironmentSettings
{
    private const int MostRows = 1000;
    private const string Elite = "Elite"; // The players' name for VeryHard.

    /// <summary>The scenario's file.</summary>
    public required ByteString Scenario { get; init; }

    /// <summary>The scenario's name, which is also the map's name.</summary>
    public required string Name { get; init; }

    /// <summary>The own race.</summary>
    public required Race Race { get; init; }

    public required PlayerSetup Opponent { get; init; }

    /// <summary>Game loops in a step.</summary>
    public required uint Repeat { get; init; }

    /// <summary>The numbers of rows for own, enemy and neutral units.</summary>
    public required (int Own, int Enemies, int Neutral) Rows { get; init; }

    public required RewardKind Reward { get; init; }

    public required int Matches { get; init; }

    public required int Threads { get; init; }

    public int RowCount => Rows.Own + Rows.Enemies + Rows.Neutral;

    /// <summary>The number of choices that each own row has.</summary>
    public int ChoiceCount => UnitActions.FirstTarget + Math.Max(Rows.Own, Rows.Enemies);

    /// <summary>Reads settings.</summary>
    /// <param name="json">A JSON object in UTF-8. It is not trusted.</param>
    /// <exception cref="Failure">A setting is missing, wrong or unknown.</exception>
    public static EnvironmentSettings Read(ReadOnlySpan<byte> json)
    {
        try
        {
            using var document = JsonDocument.Parse(json.ToArray());
            return Read(document.RootElement);
        }
        catch (Exception wrong) when (wrong is JsonException or InvalidOperationException)
        {
            throw Failure.Argument($"the settings are not valid JSON: {wrong.Message}", wrong);
        }
    }

    private static EnvironmentSettings Read(JsonElement root)
    {
        if (root.ValueKind != JsonValueKind.Object)
        {
            throw Failure.Argument("the settings are not a JSON object");
        }

        string[] known = ["scenario", "name", "opponent", "repeat", "rows", "reward", "matches", "threads"];
        foreach (var property in root.EnumerateObject().Where(each => !known.Contains(each.Name)))
        {
            throw Failure.Argument($"unknown setting '{property.Name}': give {string.Join(", ", known)}");
        }

        var name = Text(root, "name");
        if (name.Length == 0)
        {
            throw Failure.Argument("name: give the scenario's name");
        }

        var file = Encoding.UTF8.GetBytes(Text(root, "scenario"));
        Scenario scenario;
        try
        {
            scenario = Simulator.Scenario.Read(file, name);
        }
        catch (FormatException wrong)
        {
            throw Failure.Argument($"scenario {name}: {wrong.Message}", wrong);
        }

        var opponent = ReadOpponent(Text(root, "opponent"));
        if (scenario.Races.Count != 2)
        {
            throw Failure.Argument($"scenario {name} has {scenario.Races.Count} players: give one with two players");
        }

        if (opponent.Race != scenario.Races[1])
        {
            throw Failure.Argument($"scenario {name} needs the opponent's race {scenario.Races[1]}, not {opponent.Race}");
        }

        var rows = Get(root, "rows");
        if (rows.ValueKind != JsonValueKind.Array || rows.GetArrayLength() != 3)
        {
            throw Failure.Argument("rows: give three numbers: own units, enemies and neutral units");
        }

        return new EnvironmentSettings
        {
            Scenario = ByteString.CopyFrom(file),
            Name = name,
            Race = scenario.Races[0],
            Opponent = opponent,
            Repeat = (uint)Whole(Get(root, "repeat"), "repeat", 1, 100_000),
            Rows = (Whole(rows[0], "rows", 0, MostRows), Whole(rows[1], "rows", 0, MostRows), Whole(rows[2], "rows", 0, MostRows)),
            Reward = OneOf<RewardKind>(Text(root, "reward"), "reward"),
            Matches = Whole(Get(root, "matches"), "matches", 1, 10_000),
            Threads = Whole(Get(root, "threads"), "threads", 1, 1024),
        };
    }

    private static PlayerSetup ReadOpponent(string text)
    {
        var parts = text.Split(':', StringSplitOptions.TrimEntries);
        if (parts.Length is not (3 or 4) || !parts[0].Equals("computer", StringComparison.OrdinalIgnoreCase))
        {
            throw Failure.Argument($"opponent '{text}': give computer:RACE:DIFFICULTY or computer:RACE:DIFFICULTY:BUILD");
        }

        var isElite = parts[2].Equals(Elite, StringComparison.OrdinalIgnoreCase);
        var setup = new PlayerSetup
        {
            Type = PlayerType.Computer,
            Race = OneOf<Race>(parts[1], "race"),
            Difficulty = isElite ? Difficulty.VeryHard : OneOf<Difficulty>(parts[2], "difficulty"),
        };
        if (parts.Length == 4)
        {
            setup.AiBuild = OneOf<AIBuild>(parts[3], "build");
        }

        return setup;
    }

    private static T OneOf<T>(string text, string what)
        where T : struct, Enum
    {
        foreach (var value in Enum.GetValues<T>())
        {
            if (text.Equals(value.ToString(), StringComparison.OrdinalIgnoreCase))
            {
                return value;
            }
        }

        throw Failure.Argument($"{what} '{text}': give one of {string.Join(", ", Enum.GetNames<T>())}");
    }

    private static JsonElement Get(JsonElement root, string name) =>
        root.TryGetProperty(name, out var value) ? value : throw Failure.Argument($"the setting '{name}' is missing");

    private static string Text(JsonElement root, string name) => Get(root, name) is { ValueKind: JsonValueKind.String } value
        ? value.GetString()!
        : throw Failure.Argument($"{name}: give a text");

    private static int Whole(JsonElement value, string what, int least, int most) =>
        value.ValueKind == JsonValueKind.Number && value.TryGetInt32(out var number) && number >= least && number <= most
            ? number
            : throw Failure.Argument($"{what}: give a whole number from {least} to {most}");
}
