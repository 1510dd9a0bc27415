using System.Globalization;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>
/// A game to start as a process: StarCraft II, or the simulated game, which takes the same arguments.
/// </summary>
public sealed record GameLaunch : GameOrigin
{
    private GameLaunch(string executable) => Executable = executable;

    /// <summary>The program.</summary>
    public string Executable { get; private init; }

    /// <summary>Arguments before the game's own.</summary>
    public IReadOnlyList<string> LeadingArguments { get; private init; } = [];

    /// <summary>
    /// Arguments after the game's own, as given to it (<c>-verbose</c>, <c>-eglpath</c>, <c>-osmesapath</c> …).
    /// </summary>
    public IReadOnlyList<string> MoreArguments { get; init; } = [];

    /// <summary>Where it is started; null for here.</summary>
    public string? WorkingDirectory { get; private init; }

    /// <summary>The installation; null for the simulated game.</summary>
    public Installation? Installation { get; private init; }

    /// <summary>True for the simulated game.</summary>
    public bool Simulated => Installation is null;

    /// <summary>The port to listen on; 0 for one that is free.</summary>
    public int Port { get; init; }

    /// <summary>The version of the game's data to load, as a replay may need (<c>-dataVersion</c>).</summary>
    public string? DataVersion { get; init; }

    /// <summary>How long it may take to open its port. StarCraft II needs up to half a minute on a slow disk.</summary>
    public TimeSpan StartTimeout { get; init; } = TimeSpan.FromMinutes(3);

    /// <summary>What messages call it.</summary>
    public string Name => Simulated ? "The simulated game" : "StarCraft II";

    /// <summary>StarCraft II.</summary>
    public static GameLaunch StarCraft(Installation installation)
    {
        ArgumentNullException.ThrowIfNull(installation);
        return new GameLaunch(installation.Executable).With(installation);
    }

    /// <summary>The same with another build of the game.</summary>
    internal GameLaunch With(Installation installation) => this with
    {
        Executable = installation.Executable,
        Installation = installation,
        WorkingDirectory = installation.WorkingDirectory,
    };

    /// <summary>The simulated game.</summary>
    /// <param name="executable">A program that takes the game's arguments.</param>
    /// <param name="leadingArguments">What stands before them, such as <c>simulate</c>.</param>
    public static GameLaunch SimulatedGame(string executable, params IReadOnlyList<string> leadingArguments) =>
        new(executable) { LeadingArguments = leadingArguments, StartTimeout = TimeSpan.FromSeconds(60) };

    /// <summary>Every argument, as the program gets it.</summary>
    internal IReadOnlyList<string> Arguments(int port, string temporaryFolder)
    {
        List<string> arguments =
        [
            .. LeadingArguments,
            "-listen", "127.0.0.1",
            "-port", port.ToString(CultureInfo.InvariantCulture),
        ];
        if (Installation is not null)
        {
            arguments.AddRange(["-dataDir", Installation.Root, "-tempDir", temporaryFolder]);
            if (Installation.Platform != GamePlatform.Linux)
            {
                // In a window: the API does not answer while a full screen has lost its focus.
                arguments.AddRange(["-displayMode", "0", "-windowwidth", "1024", "-windowheight", "768"]);
                arguments.AddRange(["-windowx", "50", "-windowy", "50"]);
            }

            if (DataVersion is not null)
            {
                arguments.AddRange(["-dataVersion", DataVersion]);
            }
        }

        else
        {
            // It then ends with its connection, on every system.
            arguments.Add("-quitWhenAlone");
        }

        arguments.AddRange(MoreArguments);
        return arguments;
    }
}
