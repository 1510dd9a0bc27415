using System.Globalization;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Simulator;

/// <summary>How a simulated game is started.</summary>
public sealed record SimulatorOptions : GameApiOptions
{
    private static readonly Dictionary<string, Func<SimulatorOptions, Func<string>, SimulatorOptions>> Own = new()
    {
        ["-dataVersion"] = (options, value) => options with { DataVersion = value() },
        ["-baseBuild"] = (options, value) => options with { BaseBuild = ParseBuild(value()) },
        ["-allowHostIp"] = (options, value) => options with { AllowedHostIps = [.. options.AllowedHostIps, value()] },
        ["-replays"] = (options, value) => options with { ReplayFolder = value() },
        ["-endQuirks"] = (options, value) => options with { EndQuirks = ParseQuirks(value()) },
        ["-observations"] = (options, value) => options with { ObservationFolder = value() },
        ["-observationsRepeat"] = (options, _) => options with { RepeatObservations = true },
        ["--build"] = (options, value) => options.WithBuild(value()),
        ["--patch-day"] = (options, value) => options with { PatchDay = ParseSeed(value()) },
    };

    /// <summary>A folder of ResponseObservation files that replace the world's observations, in the order of
    /// their names. Null: the world's observations are sent.</summary>
    public string? ObservationFolder { get; init; }

    /// <summary>Whether the folder is repeated after its last file. If false, the game ends there.</summary>
    public bool RepeatObservations { get; init; }

    /// <summary>The game loop at which a game that has not ended yet ends in a tie.</summary>
    public int LongestMatch { get; init; } = World.GameWorld.LastLoop;

    /// <summary>
    /// Whether actions are kept after they were carried out: observations report them, and replays contain them. False saves time and memory.
    /// </summary>
    public bool KeepsActions { get; init; } = true;

    /// <summary>The quirks of the real game at the end of a match to imitate.</summary>
    internal Api.EndQuirks EndQuirks { get; init; }

    /// <summary>The folder of replays that are given by name. Client libraries look for replays in the default folder.</summary>
    public string ReplayFolder { get; init; } = Path.Combine(
        Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), "Documents", "StarCraft II", "Replays");

    /// <summary>
    /// The addresses or names that a client may give as <c>host_ip</c> when it joins, in addition to this machine's loopback.
    /// </summary>
    public IReadOnlyList<string> AllowedHostIps { get; init; } = [];

    /// <summary>The time limit of a join: first to wait for the other client, then for that client to receive what is
    /// sent.</summary>
    public TimeSpan LongestJoin { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>The build that the game reports. 0, the default, reports no build and plays replays of every build.</summary>
    public uint BaseBuild { get; init; }

    /// <summary>The data version that the game reports.</summary>
    public string DataVersion { get; init; } = Api.SimulatedGame.UsualDataVersion;

    /// <summary>The build whose versions and data the game reports; null for the usual ones.</summary>
    internal Api.SimulatedBuild? Build { get; init; }

    /// <summary>
    /// The seed of an invented new version of the game, with unknown types, values and fields. Null: the version that clients know.
    /// </summary>
    public uint? PatchDay { get; init; }

    /// <summary>The seed of a game that was created without one.</summary>
    public Func<uint> ChooseSeed { get; init; } = () => (uint)Random.Shared.NextInt64(uint.MaxValue);

    /// <summary>The clock of real-time games.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>
    /// Reads a command line like the real game's: <c>-listen HOST -port PORT -dataVersion V</c>, and the simulated game's own
    /// <c>-observations DIR</c>, <c>-observationsRepeat</c>, <c>-quitWhenAlone</c>, <c>-replays DIR</c>,
    /// <c>-allowHostIp HOST</c>, <c>-baseBuild N</c>, <c>-endQuirks NAME,NAME</c>, <c>--build VERSION</c> and <c>--patch-day SEED</c>.
    /// Other flags with one dash are ignored.
    /// </summary>
    /// <param name="arguments">The arguments, without the program's name.</param>
    /// <param name="others">Flags of other kinds of games that an error message may suggest.</param>
    /// <exception cref="ArgumentException">A value is missing or invalid, or an option with two dashes is unknown. The
    /// message names it and says what to do.</exception>
    public static SimulatorOptions Parse(IReadOnlyList<string> arguments, IEnumerable<string>? others = null)
    {
        var options = Read(arguments, new SimulatorOptions(), Own, others);
        return options is { PatchDay: not null, ObservationFolder: not null }
            ? throw new ArgumentException("--patch-day cannot change the files of -observations: leave one of them out.")
            : options;
    }

    private SimulatorOptions WithBuild(string text)
    {
        var build = Api.SimulatedBuild.All.FirstOrDefault(build => build.Name == text) ?? throw new ArgumentException(
            $"--build {text} is not a build that the simulated game knows: give {string.Join(" or ", Api.SimulatedBuild.All.Select(build => build.Name))}.");
        return this with { Build = build, BaseBuild = build.BaseBuild, DataVersion = build.DataVersion };
    }

    private static uint ParseBuild(string text) =>
        uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var build)
            ? build
            : throw new ArgumentException($"-baseBuild {text} is not a build: give a number, such as 75689.");

    private static uint ParseSeed(string text) =>
        uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var seed)
            ? seed
            : throw new ArgumentException($"--patch-day {text} is not a seed: give a number from 0 to {uint.MaxValue}.");

    private static Api.EndQuirks ParseQuirks(string text) =>
        Enum.TryParse<Api.EndQuirks>(text, ignoreCase: true, out var quirks) && !int.TryParse(text, out _)
            ? quirks
            : throw new ArgumentException(
                $"-endQuirks {text}: give names of {string.Join(", ", Enum.GetNames<Api.EndQuirks>())}, separated by commas.");
}
