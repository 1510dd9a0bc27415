using System.Text;
using System.Text.Json;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Native;

/// <summary>Reads settings, which the caller gives as a JSON object in UTF-8. They are not trusted.</summary>
internal static class Settings
{
    private const string Elite = "Elite"; // The players' name for VeryHard.

    /// <summary>Reads an object.</summary>
    /// <param name="json">The text.</param>
    /// <param name="known">The names of all settings.</param>
    /// <param name="read">Reads the settings.</param>
    /// <exception cref="Failure">A setting is missing, wrong or unknown.</exception>
    public static T Read<T>(ReadOnlySpan<byte> json, string[] known, Func<JsonElement, T> read)
    {
        try
        {
            using var document = JsonDocument.Parse(json.ToArray());
            var root = document.RootElement;
            if (root.ValueKind != JsonValueKind.Object)
            {
                throw Failure.Argument("the settings are not a JSON object");
            }

            foreach (var property in root.EnumerateObject().Where(each => !known.Contains(each.Name)))
            {
                throw Failure.Argument($"unknown setting '{property.Name}': give {string.Join(", ", known)}");
            }

            return read(root);
        }
        catch (Exception wrong) when (wrong is JsonException or InvalidOperationException)
        {
            throw Failure.Argument($"the settings are not valid JSON: {wrong.Message}", wrong);
        }
    }

    /// <summary>Reads the map: "map" for a map of the simulated game, or else "scenario" and "name".</summary>
    /// <returns>The map, and the races of the scenario's players; no races without a scenario.</returns>
    public static (LocalMap Map, IReadOnlyList<Race> Races) ReadMap(JsonElement root)
    {
        if (root.TryGetProperty("map", out _))
        {
            if (root.TryGetProperty("scenario", out _) || root.TryGetProperty("name", out _))
            {
                throw Failure.Argument("map: leave it out if there is a scenario");
            }

            var map = Text(root, "map");
            return MapName.Find(map, SimulatedGame.Maps) is { } found
                ? (new LocalMap { MapPath = found.Replace(" ", "", StringComparison.Ordinal) + MapName.Extension }, [])
                : throw Failure.Argument($"there is no map '{map}': give one of {string.Join(", ", SimulatedGame.Maps)}");
        }

        var name = Text(root, "name");
        if (name.Length == 0)
        {
            throw Failure.Argument("name: give the scenario's name");
        }

        var file = Encoding.UTF8.GetBytes(Text(root, "scenario"));
        try
        {
            return (
                new LocalMap { MapPath = name + MapName.Extension, MapData = ByteString.CopyFrom(file) },
                Scenario.Read(file, name).Races);
        }
        catch (FormatException wrong)
        {
            throw Failure.Argument($"scenario {name}: {wrong.Message}", wrong);
        }
    }

    /// <summary>Checks the players' races, if the map is a scenario.</summary>
    public static void CheckRaces(LocalMap map, IReadOnlyList<Race> needed, params IReadOnlyList<Race> given)
    {
        if (needed.Count > 0 && !needed.SequenceEqual(given))
        {
            throw Failure.Argument($"scenario {MapName.Title(map.MapPath)} needs the races {string.Join(", ", needed)}, "
                + $"not {string.Join(", ", given)}");
        }
    }

    /// <summary>Reads a computer, such as <c>computer:terran:VeryHard</c>.</summary>
    public static PlayerSetup ReadComputer(string text)
    {
        var parts = text.Split(':', StringSplitOptions.TrimEntries);
        if (parts.Length is not (3 or 4) || !parts[0].Equals("computer", StringComparison.OrdinalIgnoreCase))
        {
            throw Failure.Argument($"player '{text}': give computer:RACE:DIFFICULTY or computer:RACE:DIFFICULTY:BUILD");
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

    /// <summary>Reads a name of an enumeration, in any letter case.</summary>
    public static T OneOf<T>(string text, string what)
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

    public static JsonElement Get(JsonElement root, string name) =>
        root.TryGetProperty(name, out var value) ? value : throw Failure.Argument($"the setting '{name}' is missing");

    public static string Text(JsonElement root, string name) => TextOf(Get(root, name), name);

    public static string TextOf(JsonElement value, string what) => value.ValueKind == JsonValueKind.String
        ? value.GetString()!
        : throw Failure.Argument($"{what}: give a text");

    public static int Whole(JsonElement value, string what, int least, int most) =>
        value.ValueKind == JsonValueKind.Number && value.TryGetInt32(out var number) && number >= least && number <= most
            ? number
            : throw Failure.Argument($"{what}: give a whole number from {least} to {most}");
}
