using System.CommandLine;
using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options that limit the resources of clients, and the host names that clients may use for the bridge.</summary>
internal sealed class AdmissionOptionSet : OptionSet
{
    private readonly Option<int?> _connections = PositiveNumber(
        "--max-connections", "the most connections of all clients (default: [as many as `ulimit -n` has room for](limits.md#who-may-connect), at most 10,000)");

    private readonly Option<int?> _connectionsPerAddress = PositiveNumber(
        "--max-connections-per-address", "the most connections from one address (default: half of `max-connections`, or all of them for this machine)");

    private readonly Option<int?> _subscriptions = PositiveNumber(
        "--max-subscriptions", "the most subscriptions of all clients; the agents of `--agent` and `--wait` do not count (default: 8 for each core, at least 16)");

    private readonly Option<int?> _subscriptionsPerAddress = PositiveNumber(
        "--max-subscriptions-per-address", "the most subscriptions from one address (default: half of `max-subscriptions`, or all of them for this machine)");

    private readonly Option<string[]> _hosts = new("--allow-host")
    {
        HelpName = "NAME",
        Description = "a host name that clients may use for the bridge, such as a container's; addresses, `localhost`, the machine's own name and the names in `--grpc` and `--web` are always allowed",
        Validators = { ValidateEach(WebNames.IsHost, "write a host's name without a port, as bridge.example") },
    };

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups =>
    [
        new("limits", _connections, _subscriptions, _connectionsPerAddress, _subscriptionsPerAddress)
        {
            OnlyInFile = [_connectionsPerAddress, _subscriptionsPerAddress],
        },
        new("access", _hosts),
    ];

    /// <summary>The additional host names that clients may use for the bridge.</summary>
    internal string[] ReadHosts(ParseResult parsed) => parsed.GetValue(_hosts) ?? [];

    /// <summary>Creates the admission control that all listeners of the process share.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="expectedSubscribers">The number of subscribers that the command starts or waits for.</param>
    /// <exception cref="CommandException">The process may not open as many files as the limits need.</exception>
    internal ConnectionAdmission Read(ParseResult parsed, int expectedSubscribers)
    {
        var defaults = new AdmissionLimits();
        var limits = defaults with
        {
            Connections = parsed.GetValue(_connections) ?? defaults.Connections,
            ConnectionsPerAddress = parsed.GetValue(_connectionsPerAddress),
            Subscriptions = parsed.GetValue(_subscriptions) ?? (int)Math.Min(defaults.Subscriptions + (long)expectedSubscribers, int.MaxValue),
            SubscriptionsPerAddress = parsed.GetValue(_subscriptionsPerAddress),
        };
        return limits.Problem is { } problem ? throw new CommandException(problem) : new ConnectionAdmission(limits);
    }
}
