using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;

namespace Sc2Bridge.Broker.Tests;

/// <summary>
/// A cluster of three of Debian's RabbitMQ nodes, each in a network namespace with its own address. Everything is deleted at the end.
/// </summary>
internal sealed class TestCluster : IAsyncDisposable
{
    internal const int Size = 3;

    private static readonly string _net = string.Create(
        CultureInfo.InvariantCulture, $"10.{200 + (Environment.ProcessId % 50)}.{Environment.ProcessId / 50 % 250}");

    private static readonly string _name = string.Create(CultureInfo.InvariantCulture, $"sc2r{Environment.ProcessId % 100_000}");

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("sc2bridge-cluster-");
    private readonly Process?[] _nodes = new Process?[Size];
    private readonly Process?[] _mappers = new Process?[Size];

    internal BrokerAddress Address { get; } = BrokerAddress.Parse(
        $"amqp://{string.Join(',', Enumerable.Range(0, Size).Select(Host))}");

    internal async Task StartAsync()
    {
        Run("ip", "link", "add", _name, "type", "bridge");
        Run("ip", "addr", "add", $"{_net}.1/24", "dev", _name);
        Run("ip", "link", "set", _name, "up");
        File.WriteAllText(Path.Combine(_folder.FullName, ".erlang.cookie"), "SC2BRIDGETESTS");
        Run("chmod", "400", Path.Combine(_folder.FullName, ".erlang.cookie"));
        File.WriteAllText(Path.Combine(_folder.FullName, "plugins"), "[].");
        File.WriteAllLines(
            Path.Combine(_folder.FullName, "rabbitmq.conf"),
            [
                "listeners.tcp.default = 5672", "loopback_users = none", "cluster_partition_handling = pause_minority",
                "cluster_formation.peer_discovery_backend = classic_config",
                // The first node starts alone and does not wait for the others.
                $"cluster_formation.classic_config.nodes.1 = test@{Host(0)}",
            ]);
        for (var node = 0; node < Size; node++)
        {
            Run("ip", "netns", "add", Space(node));
            Run("ip", "link", "add", Link(node), "type", "veth", "peer", "name", "eth0", "netns", Space(node));
            Run("ip", "link", "set", Link(node), "master", _name, "up");
            Run("ip", "-n", Space(node), "addr", "add", $"{Host(node)}/24", "dev", "eth0");
            Run("ip", "-n", Space(node), "link", "set", "eth0", "up");
            Run("ip", "-n", Space(node), "link", "set", "lo", "up");
            _mappers[node] = Start(node, "/usr/bin/epmd");
            await StartAsync(node);
        }
    }

    /// <summary>Starts a node with the data of its last run, and waits until it serves.</summary>
    internal async Task StartAsync(int node)
    {
        _nodes[node] = Start(node, "/usr/lib/rabbitmq/bin/rabbitmq-server");
        await ServesAsync(node);
    }

    /// <summary>Waits until a node serves.</summary>
    internal static async Task ServesAsync(int node)
    {
        for (var began = Stopwatch.GetTimestamp(); ; await Task.Delay(200))
        {
            using var socket = new TcpClient();
            using var enough = new CancellationTokenSource(1000);
            try
            {
                await socket.ConnectAsync(Host(node), 5672, enough.Token);
                return;
            }
            catch (Exception failure) when (failure is SocketException or OperationCanceledException
                && Stopwatch.GetElapsedTime(began) < TimeSpan.FromMinutes(3))
            {
            }
        }
    }

    /// <summary>Kills a node as a power cut does, or asks it to stop.</summary>
    internal async Task StopAsync(int node, bool kill)
    {
        if (kill)
        {
            _nodes[node]!.Kill(entireProcessTree: true);
        }
        else
        {
            Run("kill", "-TERM", File.ReadAllText($"/proc/{_nodes[node]!.Id}/task/{_nodes[node]!.Id}/children").Trim());
        }

        await _nodes[node]!.WaitForExitAsync();
    }

    /// <summary>Disconnects a node from the others and from clients, or reconnects it.</summary>
    internal static void Cut(int node, bool off) => Run("ip", "link", "set", Link(node), off ? "down" : "up");

    public async ValueTask DisposeAsync()
    {
        foreach (var process in _nodes.Concat(_mappers).OfType<Process>())
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
                await process.WaitForExitAsync();
            }

            process.Dispose();
        }

        for (var node = 0; node < Size; node++)
        {
            Process.Start("ip", ["netns", "del", Space(node)]).WaitForExit();
        }

        Process.Start("ip", ["link", "del", _name]).WaitForExit();
        _folder.Delete(recursive: true);
    }

    private static string Host(int node) => $"{_net}.{node + 11}";

    private static string Space(int node) => $"{_name}-{node}";

    private static string Link(int node) => $"{_name}v{node}";

    private static void Run(string program, params string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true })!;
        var said = process.StandardError.ReadToEnd();
        process.WaitForExit();
        Assert.SkipUnless(process.ExitCode == 0, $"needs network namespaces (root, iproute2): {said}");
    }

    private Process Start(int node, string program)
    {
        var own = _folder.CreateSubdirectory(string.Create(CultureInfo.InvariantCulture, $"node-{node}")).FullName;
        var start = new ProcessStartInfo("ip", ["netns", "exec", Space(node), program])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in new (string, string)[]
        {
            ("HOME", _folder.FullName),
            ("RABBITMQ_USE_LONGNAME", "true"),
            ("RABBITMQ_NODENAME", $"test@{Host(node)}"),
            ("RABBITMQ_MNESIA_BASE", $"{own}/mnesia"),
            ("RABBITMQ_LOG_BASE", $"{own}/log"),
            ("RABBITMQ_ENABLED_PLUGINS_FILE", $"{_folder.FullName}/plugins"),
            ("RABBITMQ_CONFIG_FILE", $"{_folder.FullName}/rabbitmq"),
            ("RABBITMQ_CONF_ENV_FILE", "/dev/null"),
            ("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel net_ticktime 8"),
        })
        {
            start.Environment[name] = value;
        }

        var process = Process.Start(start)!;
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        return process;
    }
}
