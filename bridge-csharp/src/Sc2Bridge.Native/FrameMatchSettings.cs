using System.Text.Json;
using SC2APIProtocol;
using static Sc2Bridge.Native.Settings;

namespace Sc2Bridge.Native;

/// <summary>The settings of a match whose frames the caller gets, which the caller gives as JSON.</summary>
internal sealed record FrameMatchSettings
{
    private const string Agent = "agent:";
    private static readonly string[] Names = ["scenario", "name", "map", "players", "repeat"];

    /// <summary>A map of the simulated game, or a scenario's file.</summary>
    public required LocalMap Map { get; init; }

    /// <summary>The races of the caller's sides: one or two.</summary>
    public required IReadOnlyList<Race> Sides { get; init; }

    /// <summary>The computers. Their players' ids follow those of the sides.</summary>
    public required IReadOnlyList<PlayerSetup> Computers { get; init; }

    /// <summary>Game loops in a step.</summary>
    public required uint Repeat { get; init; }

    /// <summary>Reads settings.</summary>
    /// <param name="json">A JSON object in UTF-8. It is not trusted.</param>
    /// <exception cref="Failure">A setting is missing, wrong or unknown.</exception>
    public static FrameMatchSettings Read(ReadOnlySpan<byte> json) => Settings.Read(json, Names, Read);

    private static FrameMatchSettings Read(JsonElement root)
    {
        var (map, races) = ReadMap(root);
        var list = Get(root, "players");
        string[] players = list.ValueKind == JsonValueKind.Array ? [.. list.EnumerateArray().Select(each => TextOf(each, "players"))] : [];
        Race[] sides =
        [
            .. players.TakeWhile(each => each.StartsWith(Agent, StringComparison.OrdinalIgnoreCase))
                .Select(each => OneOf<Race>(each[Agent.Length..].Trim(), "race")),
        ];
        if (sides.Length is not (1 or 2) || players.Length is not (1 or 2))
        {
            throw Failure.Argument($"players [{string.Join(", ", players)}]: give agent:RACE, and then a computer, another agent, or nobody");
        }

        PlayerSetup[] computers = [.. players[sides.Length..].Select(ReadComputer)];

        CheckRaces(map, races, [.. sides, .. computers.Select(each => each.Race)]);
        return new FrameMatchSettings
        {
            Map = map,
            Sides = sides,
            Computers = computers,
            Repeat = (uint)Whole(Get(root, "repeat"), "repeat", 1, 100_000),
        };
    }
}
