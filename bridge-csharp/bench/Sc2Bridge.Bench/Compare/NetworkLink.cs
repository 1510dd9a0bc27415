using System.Diagnostics;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>
/// A slow link on one machine: a network namespace for the agents, joined to this one by a pair of interfaces whose
/// speed is limited both ways (Linux: ip-netns(8), tc-tbf(8); needs root). The clock is shared, so times stay exact.
/// </summary>
internal sealed class NetworkLink : IAsyncDisposable
{
    private const int MostTries = 3;

    // Where ip-netns(8) keeps their names.
    private const string Named = "/run/netns";

    private static int _made;

    private readonly string _name;

    private NetworkLink(string name, string host) => (_name, Host) = (name, host);

    /// <summary>The address, on the bridge's side, that agents reach it by.</summary>
    public string Host { get; }

    /// <summary>What a command begins with that is to run on the agents' side.</summary>
    public IReadOnlyList<string> Inside => ["ip", "netns", "exec", _name];

    /// <summary>Why this machine cannot have one; null if it can.</summary>
    public static async Task<string?> ProblemAsync(CancellationToken ct)
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
        {
            return OperatingSystem.IsLinux() ? "a slow link needs root" : "a slow link needs Linux";
        }

        try
        {
            await (await CreateAsync(100, ct)).DisposeAsync();
            return null;
        }
        catch (CommandException problem)
        {
            return $"{problem.Message} (a slow link needs iproute2)";
        }
    }

    public static async Task<NetworkLink> CreateAsync(double mbit, CancellationToken ct)
    {
        // An interface's name has at most 15 letters. The addresses are of a block for private networks.
        var number = Interlocked.Increment(ref _made);
        var name = Invariant($"sc2b{Environment.ProcessId}n{number}");
        var block = Invariant($"10.231.{(Environment.ProcessId + number) % 256}");
        var link = new NetworkLink(name, $"{block}.1");

        // A burst goes at full speed: it is less than a frame, or a fast link would be no limit at all. The link drops bytes
        // that would wait longer than its latency: the rest waits in the sender.
        var limit = Invariant($"root tbf rate {mbit * 1e6:0}bit burst 32kb latency 50ms");
        try
        {
            ct.ThrowIfCancellationRequested();
            await RunAsync($"""
                ip netns add {name}
                ip link add {name}a type veth peer name {name}b netns {name}
                ip addr add {block}.1/30 dev {name}a
                ip link set {name}a up
                ip -n {name} addr add {block}.2/30 dev {name}b
                ip -n {name} link set {name}b up
                tc qdisc add dev {name}a {limit}
                tc -n {name} qdisc add dev {name}b {limit}
                """);
            return link;
        }
        catch
        {
            await link.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        // Its interface goes with it, and with that the one on this side. A terminal's Ctrl-C ends these programs too.
        for (var tries = 0; tries < MostTries && File.Exists(Path.Combine(Named, _name)); tries++)
        {
            try
            {
                await RunAsync($"ip netns del {_name}");
            }
            catch (CommandException)
            {
                // It is gone, or stays without harm.
            }
        }
    }

    // To its end, which is near: one that is given up in the middle would leave something behind.
    private static Task<string> RunAsync(string script) =>
        ProcessRun.RunToEndAsync(new ProcessStartInfo("sh", ["-e", "-c", script]), CancellationToken.None);
}
