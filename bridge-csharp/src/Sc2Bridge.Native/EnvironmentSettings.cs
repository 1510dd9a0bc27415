using System.Text.Json;
using SC2APIProtocol;
using static Sc2Bridge.Native.Settings;

namespace Sc2Bridge.Native;

/// <summary>The settings of a vector environment, which the caller gives as JSON.</summary>
internal sealed record EnvironmentSettings
{
    private const int MostRows = 1000;

    private static readonly string[] Names =
        ["scenario", "name", "map", "race", "opponent", "repeat", "rows", "reward", "matches", "threads"];

    /// <summary>A map of the simulated game, or a scenario's file.</summary>
    public required LocalMap Map { get; init; }

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
    public static EnvironmentSettings Read(ReadOnlySpan<byte> json) => Settings.Read(json, Names, Read);

    private static EnvironmentSettings Read(JsonElement root)
    {
        var (map, races) = ReadMap(root);
        var opponent = ReadComputer(Text(root, "opponent"));
        var race = OneOf<Race>(Text(root, "race"), "race");
        CheckRaces(map, races, race, opponent.Race);
        var rows = Get(root, "rows");
        if (rows.ValueKind != JsonValueKind.Array || rows.GetArrayLength() != 3)
        {
            throw Failure.Argument("rows: give three numbers: own units, enemies and neutral units");
        }

        return new EnvironmentSettings
        {
            Map = map,
            Race = race,
            Opponent = opponent,
            Repeat = (uint)Whole(Get(root, "repeat"), "repeat", 1, 100_000),
            Rows = (Whole(rows[0], "rows", 0, MostRows), Whole(rows[1], "rows", 0, MostRows), Whole(rows[2], "rows", 0, MostRows)),
            Reward = OneOf<RewardKind>(Text(root, "reward"), "reward"),
            Matches = Whole(Get(root, "matches"), "matches", 1, 10_000),
            Threads = Whole(Get(root, "threads"), "threads", 1, 1024),
        };
    }
}
