namespace Sc2Bridge.Simulator.World;

/// <summary>A map in a few numbers; <see cref="GameMap"/> makes the grids of it.</summary>
/// <param name="Name">As the game names it.</param>
/// <param name="Width">In cells.</param>
/// <param name="Height">In cells.</param>
/// <param name="Bases">Town hall places of the lower half; the other half is their mirror image through the centre.
/// The first is player 1's start, its image player 2's.</param>
/// <param name="ObstacleSeed">Which obstacles stand between the bases.</param>
/// <remarks>Made up for the simulation: only the names and the general shape are those of maps of the game.</remarks>
internal sealed record MapDescription(
    string Name, int Width, int Height, (int X, int Y, int Level, int MineralSide)[] Bases, ulong ObstacleSeed)
{
    /// <summary>Cells at each edge that are not played on.</summary>
    public const int Border = 8;

    /// <summary>The map that a match is played on where nothing else is said.</summary>
    public const string DefaultName = "Cinder Fortress LE";

    /// <summary>Every map.</summary>
    public static MapDescription[] All { get; } =
    [
        new(DefaultName, 144, 160,
            [(27, 30, 2, 4), (54, 27, 1, 5), (26, 62, 1, 3), (88, 26, 0, 5), (54, 58, 0, 4), (118, 30, 0, 6),
                (24, 96, 0, 3)], 11),
        new("Ashen Terrace LE", 152, 152,
            [(28, 28, 2, 4), (28, 58, 1, 3), (58, 26, 1, 5), (26, 90, 0, 3), (60, 58, 0, 4), (92, 26, 0, 5),
                (122, 34, 0, 6)], 23),
        new("Salt Basin LE", 128, 136,
            [(26, 26, 2, 4), (54, 25, 1, 5), (25, 56, 1, 3), (84, 26, 0, 5), (54, 54, 0, 4), (24, 86, 0, 3)], 37),
    ];

    /// <summary>
    /// Finds a map however its name or file is written: blanks, case, folders and the ending do not count.
    /// </summary>
    /// <param name="name">A name (<c>Cinder Fortress LE</c>) or a path (<c>Ladder/CinderFortressLE.SC2Map</c>).</param>
    /// <returns>The map, or null where there is none of that name.</returns>
    public static MapDescription? Find(string name)
    {
        var wanted = Simplify(name);
        return wanted.Length == 0
            ? null
            : Array.Find(All, m => Simplify(m.Name) == wanted || Simplify(m.Name) == wanted + "le");
    }

    /// <summary>The file that the map would stand in, below the game's Maps folder.</summary>
    public string FileName => Name.Replace(" ", "", StringComparison.Ordinal) + ".SC2Map";

    private static string Simplify(string name)
    {
        var file = name[(name.LastIndexOfAny(['/', '\\']) + 1)..];
        if (file.EndsWith(".SC2Map", StringComparison.OrdinalIgnoreCase))
        {
            file = file[..^".SC2Map".Length];
        }

        return string.Concat(file.Where(char.IsLetterOrDigit)).ToLowerInvariant();
    }
}
