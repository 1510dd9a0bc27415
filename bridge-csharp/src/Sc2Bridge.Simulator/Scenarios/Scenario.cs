using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator;

/// <summary>
/// A match that begins with units in place of bases, as SMAC's maps do: the ground, who has what where, and how it ends. A
/// JSON file, which is to the simulated game what a map's file is to StarCraft II: clients give it as
/// <c>create_game.local_map.map_data</c>.
/// </summary>
public sealed class Scenario
{
    /// <summary>The largest file, in bytes.</summary>
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

    /// <summary>The file's name without its ending; the game's name of the map.</summary>
    public string Name { get; internal init; } = "";

    /// <summary>The file.</summary>
    public ByteString File { get; internal init; } = ByteString.Empty;

    /// <summary>Each player's race, in the order of their ids.</summary>
    public IReadOnlyList<Race> Races => [.. Players.Select(player => player.Race)];

    /// <summary>The players, in the order of their ids.</summary>
    internal IReadOnlyList<ScenarioPlayer> Players { get; init; } = [];

    /// <summary>What is nobody's.</summary>
    internal IReadOnlyList<UnitGroup> Neutral { get; init; } = [];

    /// <summary>The game loop at which it ends in a tie.</summary>
    internal int Limit { get; init; }

    /// <summary>Whether everyone sees the whole map.</summary>
    internal bool Reveal { get; init; }

    /// <summary>How both players' units are placed by chance, each way as often as its weight says; none if their groups say where.</summary>
    internal IReadOnlyList<(Positions Positions, int Weight)> Positions { get; init; } = [];

    /// <summary>What wins besides the enemy's loss; null where nothing does.</summary>
    internal Goal? Goal { get; init; }

    /// <summary>Reads a file.</summary>
    /// <param name="file">Not trusted.</param>
    /// <param name="path">Its path.</param>
    /// <exception cref="FormatException">It is none; the message names the field, its value, and what may stand
    /// there.</exception>
    public static Scenario Read(ReadOnlySpan<byte> file, string path) =>
        ScenarioReader.Read(ByteString.CopyFrom(file), path).Scenario!;

    /// <summary>A scenario that is part of the program; null for another name than those in <see cref="Names"/>.</summary>
    public static Scenario? Find(string name)
    {
        using var stream = typeof(Scenario).Assembly.GetManifestResourceStream(Folder + name);
        return stream is null ? null : ScenarioReader.Read(ByteString.FromStream(stream), name).Scenario;
    }

    /// <summary>The map that a client gives as data; null where it gives none, or a file of StarCraft II's.</summary>
    /// <exception cref="FormatException">It is meant as a scenario, and is none.</exception>
    internal static GameMap? MapOf(LocalMap? given) =>
        given is not null && given.MapData.Span.TrimStart(" \t\r\n"u8) is [(byte)'{', ..]
            ? ScenarioReader.Read(given.MapData, given.MapPath)
            : null;
}

/// <summary>How chance places two teams.</summary>
internal enum Positions
{
    /// <summary>The first on the left half of the map, the second mirrored.</summary>
    Reflect,

    /// <summary>The first in the middle, the second around it.</summary>
    Surrounded,
}

/// <summary>A player of a scenario.</summary>
/// <param name="Race">Its race.</param>
/// <param name="Start">Its start location, which computers attack.</param>
/// <param name="Units">What it begins with.</param>
/// <param name="Mirror">Whether it has what the first player has too, mirrored at the line through the map's middle along
/// y.</param>
/// <param name="Passive">Whether its units fight only when they are told to.</param>
/// <param name="Upgrades">What it has researched.</param>
internal sealed record ScenarioPlayer(
    Race Race, (int X, int Y) Start, IReadOnlyList<UnitGroup> Units, bool Mirror, bool Passive, IReadOnlyList<int> Upgrades);

/// <summary>Units that begin round a place, in 1/4096 of a cell.</summary>
/// <param name="Types">What they may be, each as often as its weight says.</param>
/// <param name="Count">How many.</param>
/// <param name="At">Where.</param>
/// <param name="Spread">How far from there along each axis chance puts each; 0: side by side.</param>
/// <param name="Except">Types that may not be all that is drawn.</param>
internal sealed record UnitGroup(
    IReadOnlyList<(UnitType Type, int Weight)> Types, int Count, (int X, int Y) At, int Spread,
    IReadOnlyList<UnitType> Except);

/// <summary>A place, in 1/4096 of a cell: the player has won who has a unit there.</summary>
/// <param name="Player">Whose.</param>
/// <param name="At">Where.</param>
/// <param name="Radius">How near a unit's middle must be.</param>
internal sealed record Goal(int Player, (int X, int Y) At, int Radius);
