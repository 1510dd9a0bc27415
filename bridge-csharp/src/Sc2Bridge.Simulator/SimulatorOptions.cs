using System.Globalization;

namespace Sc2Bridge.Simulator;

/// <summary>How a simulated game is started.</summary>
public sealed record SimulatorOptions
{
    /// <summary>The address to listen on.</summary>
    public string Listen { get; init; } = "127.0.0.1";

    /// <summary>The port to listen on; 0 takes a free one.</summary>
    public int Port { get; init; }

    /// <summary>A folder of ResponseObservation files that take the place of the world's observations, in the order of
    /// their names; null: the world's own.</summary>
    public string? ObservationFolder { get; init; }

    /// <summary>Whether the folder starts again after its last file, instead of ending the game.</summary>
    public bool RepeatObservations { get; init; }

    /// <summary>
    /// Whether the game quits when its client's connection ends, so that it never outlives who started it.
    /// </summary>
    public bool QuitWhenAlone { get; init; }

    /// <summary>The game loop at which a game ends in a tie if nothing else ended it.</summary>
    public int LongestMatch { get; init; } = World.GameWorld.LastLoop;

    /// <summary>The clock of real-time games.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>
    /// Reads a command line as the real game's: <c>-listen HOST -port PORT</c>, and of our own <c>-observations
    /// DIR</c>,
    /// <c>-observationsRepeat</c> and <c>-quitWhenAlone</c>. Other flags of the game are ignored.
    /// </summary>
    /// <param name="arguments">The arguments, without the program's name.</param>
    /// <exception cref="ArgumentException">
    /// A value is missing or is not one; the message says which and what to do.
    /// </exception>
    public static SimulatorOptions Parse(IReadOnlyList<string> arguments)
    {
        ArgumentNullException.ThrowIfNull(arguments);
        var options = new SimulatorOptions();
        for (var i = 0; i < arguments.Count; i++)
        {
            string Value()
            {
                var flag = arguments[i];
                return ++i < arguments.Count
                    ? arguments[i]
                    : throw new ArgumentException($"{flag} needs a value after it.");
            }

            options = arguments[i].ToLowerInvariant() switch
            {
                "-listen" => options with { Listen = Value() },
                "-port" => options with { Port = ParsePort(Value()) },
                "-observations" => options with { ObservationFolder = Value() },
                "-observationsrepeat" => options with { RepeatObservations = true },
                "-quitwhenalone" => options with { QuitWhenAlone = true },
                _ => options,
            };
        }

        return options;
    }

    private static int ParsePort(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var port) && port <= 65535
            ? port
            : throw new ArgumentException($"-port {text} is not a port: give a number from 0 (any free one) to 65535.");
}
