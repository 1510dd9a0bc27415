using System.Globalization;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.GameApi;

/// <summary>The options of a program that serves the game's API, as on the real game's command line.</summary>
public abstract record GameApiOptions
{
    /// <summary>The address to listen on.</summary>
    public string Listen { get; init; } = "127.0.0.1";

    /// <summary>The port to listen on; 0 for any free port.</summary>
    public int Port { get; init; }

    /// <summary>
    /// Whether the game quits when its client's connection ends, so that the game never outlives the program that started it.
    /// </summary>
    public bool QuitWhenAlone { get; init; }

    /// <summary>The maximum number of connections. If null, the limit is the number of files that the process may open.</summary>
    public int? MostConnections { get; init; }

    /// <summary>
    /// The maximum number of connections from one address. If null, an address of this machine may have all connections, and any other
    /// address half of them.
    /// </summary>
    public int? MostConnectionsPerAddress { get; init; }

    /// <summary>Host names that clients may use, in addition to IP addresses, the machine's own name and <see cref="Listen"/>.</summary>
    public IReadOnlyList<string> HostNames { get; init; } = [];

    /// <summary>Arguments of the real game's command line that have no effect here.</summary>
    public IReadOnlyList<string> Ignored { get; init; } = [];

    /// <summary>Origins of web pages that may connect. Programs that are not browsers send no origin, or the server's own origin.</summary>
    public IReadOnlyList<string> AllowedOrigins { get; init; } = [];

    /// <summary>
    /// Reads the flags of the real game (<c>-listen HOST -port PORT</c>) and the flags of this project: <c>-quitWhenAlone</c>,
    /// <c>--max-connections N</c>, <c>--max-connections-per-address N</c>, <c>--allow-host</c> and <c>--allow-origin</c>.
    /// The letter case of flags does not matter. The real game has many more flags, so unknown flags with one dash, and their
    /// values, go to <see cref="Ignored"/>. The real game's flags never begin with two dashes, so an unknown flag with two dashes is an error.
    /// </summary>
    /// <typeparam name="TOptions">The type of the options.</typeparam>
    /// <param name="arguments">The arguments, without the program's name.</param>
    /// <param name="options">The default options.</param>
    /// <param name="own">The flags that only this type has. Each function gets the options, and a delegate that reads the flag's value.</param>
    /// <param name="others">Flags of other types of options, which an error message may suggest.</param>
    /// <exception cref="ArgumentException">A value is missing or invalid, or an option with two dashes is unknown. The message names the
    /// flag and the remedy.</exception>
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
            ["--max-connections"] = (options, value) => options with { MostConnections = ParseConnectionLimit("--max-connections", value()) },
            ["--max-connections-per-address"] =
                (options, value) => options with { MostConnectionsPerAddress = ParseConnectionLimit("--max-connections-per-address", value()) },
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

    private static int ParseConnectionLimit(string flag, string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var most) && most > 0
            ? most
            : throw new ArgumentException($"{flag} {text} is not a number of connections: give 1 or more.");

    private static int ParsePort(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var port) && port <= 65535
            ? port
            : throw new ArgumentException($"-port {text} is not a port: give a number from 1 to 65535, or 0 for any free port.");
}
