using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Sc2Bridge.Broker.Tests;

/// <summary>Debian's RabbitMQ on free ports, alone, in a folder of its own; nothing of it is left behind.</summary>
public sealed class TestBroker : IAsyncLifetime
{
    private const string Server = "/usr/lib/rabbitmq/bin/rabbitmq-server";
    private const string PortMapper = "/usr/bin/epmd";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("sc2bridge-broker-");
    private readonly int _epmdPort = FreePort();
    private readonly int _distributionPort = FreePort();
    private Process? _epmd;
    private Process? _node;

    internal int Port { get; } = FreePort();

    internal BrokerAddress Address => BrokerAddress.Parse($"amqp://127.0.0.1:{Port}");

    // Of the script that started it the only child.
    private string NodeId => File.ReadAllText($"/proc/{_node!.Id}/task/{_node.Id}/children").Trim();

    public async ValueTask InitializeAsync()
    {
        if (File.Exists(Server) && File.Exists(PortMapper))
        {
            File.WriteAllText(Path.Combine(_folder.FullName, "plugins"), "[].");
            File.WriteAllText(Path.Combine(_folder.FullName, "rabbitmq.conf"), $"listeners.tcp.1 = 127.0.0.1:{Port}\n");

            // Its own, so that none is left that a node has started.
            _epmd = Start(PortMapper, "-port", _epmdPort.ToString(CultureInfo.InvariantCulture));
            await StartAsync();
        }
    }

    internal void Require() => Assert.SkipUnless(
        _node is not null, "needs Debian's package rabbitmq-server: tools/set-up --test installs it");

    /// <summary>
    /// Ends it. Not as a power cut does: RabbitMQ 3.10 alone, killed within seconds of its first stream, does not find it again.
    /// </summary>
    internal async Task StopAsync()
    {
        Signal("TERM");
        await _node!.WaitForExitAsync();
    }

    /// <summary>What its processor time is so far.</summary>
    internal TimeSpan ProcessorTime()
    {
        using var node = Process.GetProcessById(int.Parse(NodeId, CultureInfo.InvariantCulture));
        return node.TotalProcessorTime;
    }

    /// <summary>Has it stand still, or go on.</summary>
    internal void Signal(string name)
    {
        using var kill = Process.Start("kill", [$"-{name}", NodeId]);
        kill.WaitForExit();
    }

    /// <summary>Starts it, with what it had on its disk.</summary>
    internal async Task StartAsync()
    {
        _node = Start(Server);
        for (var began = Stopwatch.GetTimestamp(); ; await Task.Delay(100))
        {
            using var socket = new TcpClient();
            try
            {
                await socket.ConnectAsync(IPAddress.Loopback, Port);
                return;
            }
            catch (SocketException) when (!_node.HasExited && Stopwatch.GetElapsedTime(began) < TimeSpan.FromMinutes(2))
            {
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_node is not null)
        {
            _node.Kill(entireProcessTree: true);
            await _node.WaitForExitAsync();
            _node.Dispose();
        }

        if (_epmd is not null)
        {
            _epmd.Kill();
            await _epmd.WaitForExitAsync();
            _epmd.Dispose();
        }

        _folder.Delete(recursive: true);
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    private Process Start(string program, params string[] arguments)
    {
        string Own(string name) => Path.Combine(_folder.FullName, name);
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (var (name, value) in new (string, string)[]
        {
            ("HOME", _folder.FullName),
            ("ERL_EPMD_PORT", _epmdPort.ToString(CultureInfo.InvariantCulture)),
            ("RABBITMQ_NODENAME", $"test{Environment.ProcessId}@localhost"),
            ("RABBITMQ_NODE_PORT", Port.ToString(CultureInfo.InvariantCulture)),
            ("RABBITMQ_DIST_PORT", _distributionPort.ToString(CultureInfo.InvariantCulture)),
            ("RABBITMQ_MNESIA_BASE", Own("mnesia")),
            ("RABBITMQ_LOG_BASE", Own("log")),
            ("RABBITMQ_ENABLED_PLUGINS_FILE", Own("plugins")),
            ("RABBITMQ_CONFIG_FILE", Own("rabbitmq")),
            ("RABBITMQ_CONF_ENV_FILE", "/dev/null"),
        })
        {
            start.Environment[name] = value;
        }

        var process = Process.Start(start)!;
        process.OutputDataReceived += static (_, _) => { };
        process.ErrorDataReceived += static (_, _) => { };
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        return process;
    }
}
