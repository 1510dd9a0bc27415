using System.Diagnostics;
using System.Globalization;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>
/// A slow link on one machine: a network namespace for the agents, joined to this one by a pair of interfaces whose
/// speed is limited both ways (Linux: ip-netns(8), tc-tbf(8); needs root). The clock is shared, so times stay exact.
/// </summary>
internal sealed class NetworkLink : IAsyncDisposable
{
    // What goes at once at full speed: less than a frame, or a fast link would be no limit at all.
    private const string Burst = "32kb";

    // What waits in the link, before it drops: the rest waits in the sender.
    private const string Queue = "50ms";

    private const string Prefix = "sc2b";

    private const int MostTries = 3;

    // Where ip-netns(8) keeps their names.
    private const string Named = "/run/netns";

    private static int _made;

    private readonly string _name;

    private NetworkLink(string name, string host)
    {
        _name = name;
        Host = host;
    }

    /// <summary>The address, on the bridge's side, that agents reach it by.</summary>
    public string Host { get; }

    /// <summary>What a command begins with that is to run on the agents' side.</summary>
    public IReadOnlyList<string> Inside => ["ip", "netns", "exec", _name];

    /// <summary>
    /// Why there can be none on this machine; null where there can. What a killed comparison has left is gone then.
    /// </summary>
    public static async Task<string?> ProblemAsync(CancellationToken ct)
    {
        if (!OperatingSystem.IsLinux())
        {
            return "network namespaces are Linux's";
        }

        if (!Environment.IsPrivilegedProcess)
        {
            return "they need network namespaces: run it as root";
        }

        try
        {
            await RemoveAbandonedAsync();
            await (await CreateAsync(100, ct)).DisposeAsync();
            return null;
        }
        catch (CommandException problem)
        {
            return problem.Message;
        }
    }

    /// <summary>Makes one.</summary>
    /// <param name="mbit">Its speed each way, in Mbit/s (10^6 bits).</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="CommandException">It cannot be made.</exception>
    public static async Task<NetworkLink> CreateAsync(double mbit, CancellationToken ct)
    {
        // An interface's name has at most 15 letters. The addresses are of a block for private networks.
        var number = Interlocked.Increment(ref _made);
        var name = Invariant($"{Prefix}{Environment.ProcessId}n{number}");
        var (near, far) = ($"{name}a", $"{name}b");
        var block = Invariant($"10.231.{(Environment.ProcessId + number) % 256}.");
        var link = new NetworkLink(name, block + 1);
        var rate = Invariant($"{mbit * 1e6:0}bit");
        try
        {
            await RunAsync("ip", ct, "netns", "add", name);
            await RunAsync("ip", ct, "link", "add", near, "type", "veth", "peer", "name", far, "netns", name);
            await RunAsync("ip", ct, "addr", "add", $"{block}1/30", "dev", near);
            await RunAsync("ip", ct, "link", "set", near, "up");
            await RunAsync("ip", ct, "-n", name, "addr", "add", $"{block}2/30", "dev", far);
            await RunAsync("ip", ct, "-n", name, "link", "set", far, "up");
            string[] limit = ["root", "tbf", "rate", rate, "burst", Burst, "latency", Queue];
            await RunAsync("tc", ct, ["qdisc", "add", "dev", near, .. limit]);
            await RunAsync("tc", ct, ["-n", name, "qdisc", "add", "dev", far, .. limit]);
            return link;
        }
        catch
        {
            await link.DisposeAsync();
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        // Its interface goes with it, and with that the one on this side. A terminal's Ctrl-C ends these programs too.
        for (var tries = 0; tries < MostTries && File.Exists(Path.Combine(Named, _name)); tries++)
        {
            await TryRemoveAsync(_name);
        }
    }

    private static async Task RemoveAbandonedAsync()
    {
        var names = Directory.Exists(Named) ? Directory.GetFiles(Named, $"{Prefix}*").Select(Path.GetFileName) : [];
        foreach (var name in names)
        {
            if (OwnerOf(name!) is { } process && !Directory.Exists(Invariant($"/proc/{process}")))
            {
                await TryRemoveAsync(name!);
            }
        }
    }

    // The process that made it; null where it is none of ours.
    private static int? OwnerOf(string name) =>
        name[Prefix.Length..].Split('n') is [var owner, var number]
            && int.TryParse(owner, NumberStyles.None, CultureInfo.InvariantCulture, out var process)
            && int.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out _)
            ? process
            : null;

    private static async Task TryRemoveAsync(string name)
    {
        try
        {
            await RunAsync("ip", CancellationToken.None, "netns", "del", name);
        }
        catch (CommandException)
        {
            // It is gone, or stays: it disturbs nobody.
        }
    }

    // To its end, which is near: one that is given up in the middle would leave something behind.
    private static async Task RunAsync(string program, CancellationToken ct, params string[] arguments)
    {
        ct.ThrowIfCancellationRequested();
        try
        {
            await ProcessRun.ToEndAsync(new ProcessStartInfo(program, arguments), CancellationToken.None);
        }
        catch (CommandException problem)
        {
            throw new CommandException(problem.InnerException is null
                ? $"{program} {string.Join(' ', arguments.Take(2))}: {problem.Message}"
                : $"'{program}' is missing: install iproute2");
        }
    }
}
