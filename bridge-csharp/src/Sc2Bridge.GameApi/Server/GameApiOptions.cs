using System.Globalization;
using Sc2Bridge.Admission;

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

    /// <summary>What clients may cost, where <see cref="Admission"/> is null.</summary>
    public AdmissionLimits Limits { get; init; } = new();

    /// <summary>Counts and limits clients, with others of the process; null: by itself.</summary>
    public ConnectionAdmission? Admission { get; init; }

    /// <summary>Names that clients may call it by, beside addresses, the machine's own and <see cref="Listen"/>.</summary>
    public IReadOnlyList<string> HostNames { get; init; } = [];

    /// <summary>Origins of web pages that may connect; clients that are no browser send none, or its own.</summary>
    public IReadOnlyList<string> AllowedOrigins { get; init; } = [];

    /// <summary>
    /// Reads a command line as the real game's: <c>-listen HOST -port PORT</c>, and of our own <c>-quitWhenAlone</c>,
    /// <c>--max-connections N</c>, <c>--max-connections-per-address N</c>, <c>--allow-host</c> and <c>--allow-origin</c>.
    /// Flags are read in any case; those that nobody takes are ignored, for the game has many that matter to it alone.
    /// </summary>
    /// <typeparam name="TOptions">The options of a kind of game.</typeparam>
    /// <param name="arguments">The arguments, without the program's name.</param>
    /// <param name="options">What holds where nothing is said.</param>
    /// <param name="take">
    /// Takes a flag of its own, given in lower case with what reads its value; it gives the options back unchanged for
    /// one that it does not know.
    /// </param>
    /// <exception cref="ArgumentException">A value is missing or is not one; the message says which and what to
    /// do.</exception>
    protected static TOptions Read<TOptions>(
        IReadOnlyList<string> arguments, TOptions options, Func<TOptions, string, Func<string>, TOptions> take)
        where TOptions : GameApiOptions
    {
        ArgumentNullException.ThrowIfNull(arguments);
        ArgumentNullException.ThrowIfNull(take);
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
                "-quitwhenalone" => options with { QuitWhenAlone = true },
                "--max-connections" => options with { Limits = options.Limits with { Connections = ParseMost(Value()) } },
                "--max-connections-per-address" => options with
                {
                    Limits = options.Limits with { ConnectionsPerAddress = ParseMost(Value()) },
                },
                "--allow-host" => options with
                {
                    HostNames = [.. options.HostNames, Checked(Value(), AllowedHosts.IsHost, "a host's name without a port")],
                },
                "--allow-origin" => options with
                {
                    AllowedOrigins =
                    [
                        .. options.AllowedOrigins,
                        Checked(Value(), AllowedHosts.IsOrigin, "an origin, as https://viewer.example, without a path or the usual port"),
                    ],
                },
                var flag => take(options, flag, Value),
            };
        }

        return options;
    }

    private static string Checked(string text, Func<string, bool> isValid, string what) =>
        isValid(text) ? text : throw new ArgumentException($"'{text}' is not {what}: give one.");

    private static int ParseMost(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var most) && most > 0
            ? most
            : throw new ArgumentException($"{text} is not a number of connections: give one from 1 on.");

    private static int ParsePort(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var port) && port <= 65535
            ? port
            : throw new ArgumentException($"-port {text} is not a port: give a number from 0 (any free one) to 65535.");
}
