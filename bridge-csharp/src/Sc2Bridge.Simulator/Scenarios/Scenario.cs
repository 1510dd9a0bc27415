using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator;

/// <summary>
/// A match that begins with units instead of bases, as on SMAC's maps: the ground, each player's units, and the end of the
/// match. It is a JSON file, which clients give as <c>create_game.local_map.map_data</c>, as they give a map's file to
/// StarCraft II.
/// </summary>
public sealed class Scenario
{
    /// <summary>The maximum size of a file, in bytes.</summary>
    public const int LongestFile = 256 * 1024;

    private const string Folder = "scenarios/"; // of the program's resources

    internal Scenario()
    {
    }

    /// <summary>The names of the scenarios that are part of the program.</summary>
    public static IReadOnlyList<string> Names { get; } =
        [.. typeof(Scenario).Assembly.GetManifestResourceNames()
            .Where(name => name.StartsWith(Folder, StringComparison.Ordinal))
            .Select(name => name[Folder.Length..])
            .Order(StringComparer.Ordinal)];

    /// <summary>The file's name without its extension. It is also the map's name in the game.</summary>
    public string Name { get; internal init; } = "";

    /// <summary>The file.</summary>
    public ByteString File { get; internal init; } = ByteString.Empty;

    /// <summary>Each player's race, in the order of their ids.</summary>
    public IReadOnlyList<Race> Races => [.. Players.Select(player => player.Race)];

    /// <summary>The players, in the order of their ids.</summary>
    internal IReadOnlyList<ScenarioPlayer> Players { get; init; } = [];

    /// <summary>The neutral units.</summary>
    internal IReadOnlyList<UnitGroup> Neutral { get; init; } = [];

    /// <summary>The game loop at which the match ends in a tie.</summary>
    internal int Limit { get; init; }

    /// <summary>Whether all players see the whole map.</summary>
    internal bool Reveal { get; init; }

    /// <summary>The random arrangements of both players' units, with their weights. Empty if the groups have positions.</summary>
    internal IReadOnlyList<(Positions Positions, int Weight)> Positions { get; init; } = [];

    /// <summary>A goal that wins the match, in addition to the enemy's defeat; or null.</summary>
    internal Goal? Goal { get; init; }

    /// <summary>Reads a file.</summary>
    /// <param name="file">The file's bytes, which are not trusted.</param>
    /// <param name="path">The file's path.</param>
    /// <exception cref="FormatException">It is not a valid scenario. The message names the field, its value, and the valid
    /// values.</exception>
    public static Scenario Read(ReadOnlySpan<byte> file, string path) =>
        ScenarioReader.Read(ByteString.CopyFrom(file), path).Scenario!;

    /// <summary>A scenario that is part of the program; null if the name is not in <see cref="Names"/>.</summary>
    public static Scenario? Find(string name)
    {
        using var stream = typeof(Scenario).Assembly.GetManifestResourceStream(Folder + name);
        return stream is null ? null : ScenarioReader.Read(ByteString.FromStream(stream), name).Scenario;
    }

    /// <summary>The map that a client gives as data; null if there are no data, or they are a map of StarCraft II.</summary>
    /// <exception cref="FormatException">The data are an invalid scenario.</exception>
    internal static GameMap? MapOf(LocalMap? given) =>
        given is not null && given.MapData.Span.TrimStart(" \t\r\n"u8) is [(byte)'{', ..]
            ? ScenarioReader.Read(given.MapData, given.MapPath)
            : null;
}

/// <summary>Random arrangements of two teams.</summary>
internal enum Positions
{
    /// <summary>The first team on the left half of the map, and the second one mirrored.</summary>
    Reflect,

    /// <summary>The first team at the center, and the second one around it.</summary>
    Surrounded,
}

/// <summary>A player of a scenario.</summary>
/// <param name="Race">Its race.</param>
/// <param name="Start">Its start location, which computers attack.</param>
/// <param name="Units">Its first units.</param>
/// <param name="Mirror">Whether it also has the mirror image of the first player's units. The mirror is the map's vertical
/// center line.</param>
/// <param name="Passive">Whether its units fight only on command.</param>
/// <param name="Upgrades">The upgrades that it has.</param>
internal sealed record ScenarioPlayer(
    Race Race, (int X, int Y) Start, IReadOnlyList<UnitGroup> Units, bool Mirror, bool Passive, IReadOnlyList<int> Upgrades);

/// <summary>A group of units around a point, in 1/4096 of a cell.</summary>
/// <param name="Types">The possible types, with their weights.</param>
/// <param name="Count">The number of units.</param>
/// <param name="At">The point.</param>
/// <param name="Spread">The maximum random distance from the point along each axis; 0 places the units side by side.</param>
/// <param name="Except">Types that must not be the only ones in the group.</param>
internal sealed record UnitGroup(
    IReadOnlyList<(UnitType Type, int Weight)> Types, int Count, (int X, int Y) At, int Spread,
    IReadOnlyList<UnitType> Except);

/// <summary>An area, in 1/4096 of a cell. The player wins when it has a unit there.</summary>
/// <param name="Player">The player's id.</param>
/// <param name="At">The center.</param>
/// <param name="Radius">The maximum distance of a unit's center.</param>
internal sealed record Goal(int Player, (int X, int Y) At, int Radius);
