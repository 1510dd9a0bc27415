using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using RabbitMQ.Client;
using Sc2Bridge.Broker.Work;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Broker.Tests;

/// <summary>Debian's RabbitMQ as a single node on free ports, in a temporary folder that is deleted at the end.</summary>
public sealed class TestBroker : IAsyncLifetime
{
    private const string Server = "/usr/lib/rabbitmq/bin/rabbitmq-server";
    private const string PortMapper = "/usr/bin/epmd";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("sc2bridge-broker-");
    private readonly int _epmdPort = FreePorts.Find();
    private readonly int _distributionPort = FreePorts.Find();
    private Process? _epmd;
    private Process? _node;

    internal int Port { get; } = FreePorts.Find();

    internal int TlsPort { get; } = FreePorts.Find();

    internal BrokerAddress Address => At($"amqp://127.0.0.1:{Port}");

    /// <summary>A file in its folder, such as a certificate.</summary>
    internal string Own(string name) => Path.Combine(_folder.FullName, name);

    /// <summary>Parses an address without the environment's user and password.</summary>
    internal static BrokerAddress At(string url) => BrokerAddress.Parse(url, _ => null);

    // The node is the only child of the script that started it.
    private string NodeId => File.ReadAllText($"/proc/{_node!.Id}/task/{_node.Id}/children").Trim();

    public async ValueTask InitializeAsync()
    {
        if (File.Exists(Server) && File.Exists(PortMapper))
        {
            File.WriteAllText(Own("plugins"), "[].");
            MakeCertificates();
            File.WriteAllText(Own("definitions.json"), """
                {"vhosts": [{"name": "/"}, {"name": "closed"}],
                 "users": [{"name": "guest", "password": "guest", "tags": ""}, {"name": "reader", "password": "s3cret", "tags": ""}],
                 "permissions": [{"user": "guest", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"},
                                 {"user": "reader", "vhost": "/", "configure": "", "write": "", "read": ".*"}]}
                """);
            File.WriteAllText(Own("rabbitmq.conf"), $"""
                listeners.tcp.1 = 127.0.0.1:{Port}
                listeners.ssl.1 = 127.0.0.1:{TlsPort}
                ssl_options.cacertfile = {Own("ca.pem")}
                ssl_options.certfile = {Own("broker.pem")}
                ssl_options.keyfile = {Own("broker.key")}
                ssl_options.verify = verify_peer
                ssl_options.fail_if_no_peer_cert = false
                load_definitions = {Own("definitions.json")}

                """);

            // An own port mapper, so that the node starts none that would stay behind.
            _epmd = Start(PortMapper, "-port", _epmdPort.ToString(CultureInfo.InvariantCulture));
            await StartAsync();
        }
    }

    internal void Require() => Assert.SkipUnless(
        _node is not null, "needs Debian's package rabbitmq-server: tools/set-up --test installs it");

    /// <summary>Deletes the jobs that earlier tests left, if a broker runs: the queues' names are the same for all tests.</summary>
    internal async Task DeleteJobsAsync(CancellationToken ct)
    {
        if (_node is not null)
        {
            await using var connection = await Address.ConnectAsync("test", ct);
            await using var channel = await WorkQueues.OpenChannelAsync(connection, ct);
            await channel.QueueDeleteAsync(WorkQueues.JobQueue, cancellationToken: ct);
            await channel.QueueDeleteAsync(WorkQueues.DeadQueue, cancellationToken: ct);
        }
    }

    /// <summary>
    /// Stops it properly. After a power cut within seconds of its first stream, a single RabbitMQ 3.10 does not find that stream again.
    /// </summary>
    internal async Task StopAsync()
    {
        Signal("TERM");
        await _node!.WaitForExitAsync();
    }

    /// <summary>Its processor time so far.</summary>
    internal TimeSpan ProcessorTime()
    {
        using var node = Process.GetProcessById(int.Parse(NodeId, CultureInfo.InvariantCulture));
        return node.TotalProcessorTime;
    }

    /// <summary>Sends it a signal, to stop or continue it.</summary>
    internal void Signal(string name)
    {
        using var kill = Process.Start("kill", [$"-{name}", NodeId]);
        kill.WaitForExit();
    }

    /// <summary>Starts it with the data of its last run.</summary>
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

    // Certificates of the broker, of its clients and of others.
    private void MakeCertificates()
    {
        foreach (var authority in new[] { "ca", "other-ca" })
        {
            using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
            var request = new CertificateRequest($"CN={authority}", key, HashAlgorithmName.SHA256);
            request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
            request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign, true));
            using var signer = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(2));
            File.WriteAllText(Own($"{authority}.pem"), signer.ExportCertificatePem());
            foreach (var name in authority == "ca" ? new[] { "broker", "client" } : ["other-client"])
            {
                using var ownKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
                var own = new CertificateRequest($"CN={name}", ownKey, HashAlgorithmName.SHA256);
                var names = new SubjectAlternativeNameBuilder();
                names.AddDnsName("localhost");
                own.CertificateExtensions.Add(names.Build());
                using var signed = own.Create(
                    signer, DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1), Guid.NewGuid().ToByteArray());
                File.WriteAllText(Own($"{name}.pem"), signed.ExportCertificatePem());
                File.WriteAllText(Own($"{name}.key"), ownKey.ExportPkcs8PrivateKeyPem());
            }
        }
    }

    private Process Start(string program, params string[] arguments)
    {
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
