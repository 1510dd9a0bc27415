using Sc2Bridge.Admission;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>How a recording is played back as a game.</summary>
public sealed record RecordedGameOptions : GameApiOptions
{
    private static readonly Dictionary<string, Func<RecordedGameOptions, Func<string>, RecordedGameOptions>> Own = new(StringComparer.OrdinalIgnoreCase)
    {
        ["--recording"] = (options, value) => options with { Recording = value() },
        ["--strict"] = (options, _) => options with { Strict = true },
        ["--actions"] = (options, value) => options with { Actions = value() },
    };

    /// <summary>The flags of games that play a recording.</summary>
    public static IEnumerable<string> Flags => Own.Keys;

    /// <summary>The recording's file.</summary>
    public string Recording { get; init; } = "";

    /// <summary>Whether requests without a recorded answer are refused instead of answered from the map's grids.</summary>
    public bool Strict { get; init; }

    /// <summary>The file for the client's actions and the recorded actions; null to write no file.</summary>
    public string? Actions { get; init; }

    /// <summary>The client limits that several servers of this process share; null if this server has limits of its own.</summary>
    public ConnectionAdmission? Admission { get; init; }

    /// <summary>The clock of real-time games.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>
    /// Reads a command line like the real game's, with <c>--recording FILE</c>, <c>--strict</c> and
    /// <c>--actions FILE</c>. Other flags with one dash are ignored.
    /// </summary>
    /// <param name="arguments">The arguments, without the program's name.</param>
    /// <returns>Null if none of these three flags is given.</returns>
    /// <exception cref="ArgumentException">A value is missing or invalid, or an option with two dashes is unknown. The
    /// message names the option and the remedy.</exception>
    public static RecordedGameOptions? Parse(IReadOnlyList<string> arguments) =>
        !arguments.Any(Own.ContainsKey) ? null
        : Read(arguments, new RecordedGameOptions(), Own) is { Recording.Length: > 0 } options ? options
        : throw new ArgumentException("--strict and --actions are for a recording: give --recording FILE too.");
}
