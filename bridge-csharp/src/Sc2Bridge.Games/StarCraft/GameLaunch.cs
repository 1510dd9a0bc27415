using System.Globalization;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>
/// A game to start as a process: StarCraft II, or the simulated game, which takes the same arguments.
/// </summary>
public sealed record GameLaunch : GameOrigin
{
    private GameLaunch(string executable) => Executable = executable;

    /// <summary>The program to start.</summary>
    public string Executable { get; private init; }

    /// <summary>The program's arguments that come before the game's own arguments.</summary>
    public IReadOnlyList<string> LeadingArguments { get; private init; } = [];

    /// <summary>
    /// The arguments that come after the game's own arguments, passed unchanged (<c>-verbose</c>, <c>-eglpath</c>, <c>-osmesapath</c> …).
    /// </summary>
    public IReadOnlyList<string> MoreArguments { get; init; } = [];

    /// <summary>The folder to start the program in; null for the current folder.</summary>
    public string? WorkingDirectory { get; private init; }

    /// <summary>The installation; null for the simulated game.</summary>
    public Installation? Installation { get; private init; }

    /// <summary>True for the simulated game.</summary>
    public bool Simulated => Installation is null;

    /// <summary>The port that the game listens on; 0 for any free port.</summary>
    public int Port { get; init; }

    /// <summary>The version of the game's data to load (<c>-dataVersion</c>). A replay may need an older version.</summary>
    public string? DataVersion { get; init; }

    /// <summary>How long the game may take to open its port. StarCraft II needs up to half a minute on a slow disk.</summary>
    public TimeSpan StartTimeout { get; init; } = TimeSpan.FromMinutes(3);

    /// <summary>The game's name in messages.</summary>
    public string Name => Simulated ? "The simulated game" : "StarCraft II";

    /// <summary>Describes how to start StarCraft II, but does not start it.</summary>
    public static GameLaunch StarCraft(Installation installation)
    {
        ArgumentNullException.ThrowIfNull(installation);
        return new GameLaunch(installation.Executable).WithInstallation(installation);
    }

    /// <summary>The same launch with another build of the game.</summary>
    internal GameLaunch WithInstallation(Installation installation) => this with
    {
        Executable = installation.Executable,
        Installation = installation,
        WorkingDirectory = installation.WorkingDirectory,
    };

    /// <summary>Describes how to start the simulated game, but does not start it.</summary>
    /// <param name="executable">A program that takes the game's arguments.</param>
    /// <param name="leadingArguments">The arguments before the game's arguments, such as <c>simulate</c>.</param>
    public static GameLaunch SimulatedGame(string executable, params IReadOnlyList<string> leadingArguments) =>
        new(executable) { LeadingArguments = leadingArguments, StartTimeout = TimeSpan.FromSeconds(60) };

    /// <summary>All arguments of the program.</summary>
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
                // The game runs in a window, because in full-screen mode the API does not answer while the game has no focus.
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
            // With this argument, the simulated game quits when its connection ends, on every system.
            arguments.Add("-quitWhenAlone");
        }

        arguments.AddRange(MoreArguments);
        return arguments;
    }
}
