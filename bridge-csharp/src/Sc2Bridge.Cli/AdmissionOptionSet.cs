using System.CommandLine;
using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options that say what clients may cost, and by which names they come.</summary>
internal sealed class AdmissionOptionSet : OptionSet
{
    private readonly Option<int?> _connections = Count(
        "--max-connections", "the most connections of all clients (default: [as many as `ulimit -n` has room for](limits.md#who-may-connect), at most 10,000)");

    private readonly Option<int?> _connectionsPerAddress = Count(
        "--max-connections-per-address", "the most connections of one address (default: half of them; all for this machine)");

    private readonly Option<int?> _subscriptions = Count(
        "--max-subscriptions", "the most subscriptions of all clients, without the agents of `--agent` and `--wait` (default: 8 for each core, at least 16)");

    private readonly Option<int?> _subscriptionsPerAddress = Count(
        "--max-subscriptions-per-address", "the most subscriptions of one address (default: half of them; all for this machine)");

    private readonly Option<string[]> _hosts = new("--allow-host")
    {
        HelpName = "NAME",
        Description = "a host name that clients may use for the bridge, such as a container's; addresses, `localhost`, the machine's own name and the names in `--grpc` and `--web` are allowed",
        Validators = { EachIs(WebNames.IsHost, "write a host's name without a port, as bridge.example") },
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

    /// <summary>Names that clients may use.</summary>
    internal string[] Hosts(ParseResult parsed) => parsed.GetValue(_hosts) ?? [];

    /// <summary>One admission for all listeners of the process.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="expected">Subscribers that the command starts or waits for.</param>
    /// <exception cref="CommandException">The process may not open that many files.</exception>
    internal ConnectionAdmission Read(ParseResult parsed, int expected)
    {
        var usual = new AdmissionLimits();
        var limits = usual with
        {
            Connections = parsed.GetValue(_connections) ?? usual.Connections,
            ConnectionsPerAddress = parsed.GetValue(_connectionsPerAddress),
            Subscriptions = parsed.GetValue(_subscriptions) ?? (int)Math.Min(usual.Subscriptions + (long)expected, int.MaxValue),
            SubscriptionsPerAddress = parsed.GetValue(_subscriptionsPerAddress),
        };
        return limits.Problem is { } problem ? throw new CommandException(problem) : new ConnectionAdmission(limits);
    }
}
