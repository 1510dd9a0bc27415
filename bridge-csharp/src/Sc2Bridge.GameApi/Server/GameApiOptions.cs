using System.Globalization;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.GameApi;

/// <summary>How a game process is started: what the real game's command line says of its API.</summary>
public abstract record GameApiOptions
{
    /// <summary>The address to listen on.</summary>
    public string Listen { get; init; } = "127.0.0.1";

    /// <summary>The port to listen on; 0 takes a free one.</summary>
    public int Port { get; init; }

    /// <summary>
    /// Whether the game quits when its client's connection ends, so that it never outlives who started it.
    /// </summary>
    public bool QuitWhenAlone { get; init; }

    /// <summary>The most connections; null: as many as the process has open files for.</summary>
    public int? MostConnections { get; init; }

    /// <summary>The most connections of one address; null: all of them from this machine, half of them from others.</summary>
    public int? MostConnectionsPerAddress { get; init; }

    /// <summary>Names that clients may call it by, beside addresses, the machine's own and <see cref="Listen"/>.</summary>
    public IReadOnlyList<string> HostNames { get; init; } = [];

    /// <summary>Words of the real game's command line that have no meaning here.</summary>
    public IReadOnlyList<string> Ignored { get; init; } = [];

    /// <summary>Origins of web pages that may connect; clients that are no browser send none, or its own.</summary>
    public IReadOnlyList<string> AllowedOrigins { get; init; } = [];

    /// <summary>
    /// Reads a command line as the real game's: <c>-listen HOST -port PORT</c>, and of our own <c>-quitWhenAlone</c>,
    /// <c>--max-connections N</c>, <c>--max-connections-per-address N</c>, <c>--allow-host</c> and <c>--allow-origin</c>.
    /// Flags are read in any case. Unknown flags with one dash, and their values, go to <see cref="Ignored"/>, because the real game has many more. Its
    /// flags never begin with two dashes, so an unknown one that does is a mistake.
    /// </summary>
    /// <typeparam name="TOptions">The options of a kind of game.</typeparam>
    /// <param name="arguments">The arguments, without the program's name.</param>
    /// <param name="options">The defaults.</param>
    /// <param name="own">The flags of this kind of game. The function of each gets what reads its value.</param>
    /// <param name="others">Flags of other kinds of games, which an error message may suggest.</param>
    /// <exception cref="ArgumentException">A value is missing or invalid, or an option with two dashes is unknown. The
    /// message names it and says what to do.</exception>
    protected static TOptions Read<TOptions>(
        IReadOnlyList<string> arguments,
        TOptions options,
        IReadOnlyDictionary<string, Func<TOptions, Func<string>, TOptions>> own,
        IEnumerable<string>? others = null)
        where TOptions : GameApiOptions
    {
        ArgumentNullException.ThrowIfNull(arguments);
        ArgumentNullException.ThrowIfNull(own);
        var flags = new Dictionary<string, Func<TOptions, Func<string>, TOptions>>(own, StringComparer.OrdinalIgnoreCase)
        {
            ["-listen"] = (options, value) => options with { Listen = value() },
            ["-port"] = (options, value) => options with { Port = ParsePort(value()) },
            ["-quitWhenAlone"] = (options, _) => options with { QuitWhenAlone = true },
            ["--max-connections"] = (options, value) => options with { MostConnections = ParseMost("--max-connections", value()) },
            ["--max-connections-per-address"] =
                (options, value) => options with { MostConnectionsPerAddress = ParseMost("--max-connections-per-address", value()) },
            ["--allow-host"] = (options, value) => options with
            {
                HostNames = [.. options.HostNames, Checked("--allow-host", value(), WebNames.IsHost, "a host's name without a port")],
            },
            ["--allow-origin"] = (options, value) => options with
            {
                AllowedOrigins =
                [
                    .. options.AllowedOrigins,
                    Checked("--allow-origin", value(), WebNames.IsOrigin, "an origin, as https://viewer.example, without a path or the usual port"),
                ],
            },
        };
        for (var i = 0; i < arguments.Count; i++)
        {
            string Value()
            {
                var flag = arguments[i];
                return ++i < arguments.Count && arguments[i].Length > 0
                    ? arguments[i]
                    : throw new ArgumentException($"{flag} needs a value after it.");
            }

            if (flags.TryGetValue(arguments[i], out var read))
            {
                options = read(options, Value);
            }
            else if (arguments[i].StartsWith("--", StringComparison.Ordinal))
            {
                throw new ArgumentException(
                    $"unknown option '{arguments[i]}'{ClosestWord.Hint(arguments[i].Split('=')[0], flags.Keys.Concat(others ?? []))}");
            }
            else
            {
                options = options with { Ignored = [.. options.Ignored, arguments[i]] };
            }
        }

        return options;
    }

    private static string Checked(string flag, string text, Func<string, bool> isValid, string what) =>
        isValid(text) ? text : throw new ArgumentException($"{flag} {text} is not {what}: give one.");

    private static int ParseMost(string flag, string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var most) && most > 0
            ? most
            : throw new ArgumentException($"{flag} {text} is not a number of connections: give one from 1 on.");

    private static int ParsePort(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var port) && port <= 65535
            ? port
            : throw new ArgumentException($"-port {text} is not a port: give a number from 0 (any free one) to 65535.");
}
