using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Text.RegularExpressions;
using Grpc.Core;
using Grpc.Net.Client;
using Sc2Bridge.V1;

namespace Sc2Bridge.Functional.Tests;

/// <summary>
/// What strangers on the bridge's ports may cost: a match at 22.4 steps a second goes on beside them, under the memory's
/// ceiling, and an agent that behaves misses nothing.
/// </summary>
public sealed partial class HostileClientsTests(ITestOutputHelper output)
{
    // Ten seconds without anybody, to hold the crowd's against.
    private const int Undisturbed = 224;
    private const long Ceiling = 1L << 30;

    // One step: a delivery that takes longer is late for the next, however short the undisturbed ones are.
    private const double StepUs = 1e6 / 22.4;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    [Trait("Suite", "Long")]
    public Task Idle_connections() => BesideAsync(
        async servers =>
        {
            using var idle = await Idle.ConnectAsync(servers, 1_500);
            await servers.Match.UntilAsync(servers.Steps(Undisturbed));
        },
        "/bin/sh", "-c", "ulimit -n 1024; exec \"$@\"", "sh");

    [Fact]
    [Trait("Suite", "Long")]
    public Task Many_subscriptions_of_one_name() => BesideAsync(
        servers => SubscribeAsync(servers.Grpc, 20_000, new string('x', 60)));

    [Fact]
    [Trait("Suite", "Long")]
    public Task Readers_of_many_kinds_beside_one_that_never_reads() => BesideAsync(
        async servers =>
        {
            using var readers = await Readers.ConnectAsync(servers.Web, 64);
            await servers.Match.UntilAsync(servers.Steps(2 * Undisturbed));
        });

    [Fact]
    [Trait("Suite", "Long")]
    public Task All_of_them_at_once() => BesideAsync(
        async servers =>
        {
            using var readers = await Readers.ConnectAsync(servers.Web, 64);
            var subscribed = SubscribeAsync(servers.Grpc, 20_000, "agent");
            using var idle = await Idle.ConnectAsync(servers, 10_000);
            await subscribed;
            await servers.Match.UntilAsync(servers.Steps(2 * Undisturbed));
        });

    /// <summary>Where a match listens, of the line in which it says so.</summary>
    internal static (string Grpc, string Web) Addresses(string line)
    {
        var found = ListeningLine().Match(line);
        return (found.Groups["grpc"].Value, found.Groups["web"].Value);
    }

    // A match, undisturbed at first, then with the crowd, and a minute at most after it.
    private async Task BesideAsync(Func<Servers, Task> crowd, params string[] wrapper)
    {
        using var folder = new MatchFolder();
        using var match = folder.Match(
            ["--rate", "22.4", "--steps", "16860", "--agent", "sc2bridge.agents:Watcher", "--memory", "1GiB"], [], wrapper);
        var (grpc, web) = Addresses(await match.LineAsync("WebSocket on"));
        var servers = new Servers(match, folder, grpc, web);
        await match.UntilAsync(servers.Steps(Undisturbed));
        var before = ProcessFacts.Resident(match.Id);

        var from = folder.StepsSoFar();
        var most = 0L;
        using (var done = new CancellationTokenSource())
        {
            var watch = Task.Run(
                () =>
                {
                    while (!done.Token.WaitHandle.WaitOne(TimeSpan.FromMilliseconds(50)))
                    {
                        most = Math.Max(most, ProcessFacts.Resident(match.Id));
                    }
                },
                Token);
            await crowd(servers);
            await done.CancelAsync();
            await watch;
        }

        var to = folder.StepsSoFar();
        var gone = TimeProvider.System.GetTimestamp();
        long after;
        do
        {
            await match.UntilAsync(servers.Steps(22));
            after = ProcessFacts.Resident(match.Id);
        }
        while (after > 1.2 * before && TimeProvider.System.GetElapsedTime(gone) < TimeSpan.FromMinutes(1));

        match.Signal(BridgeProcess.Interrupt);
        await match.EndAsync();
        var delivered = folder.Agents().Rows.Select(row => (
            Step: int.Parse(row["step"], CultureInfo.InvariantCulture),
            Us: LogTable.Number(row, "delivered_us") ?? double.NaN)).ToList();
        var (alone, beside) = (P99(delivered, 22, Undisturbed), P99(delivered, from, to));
        output.WriteLine(
            $"resident {before >> 20} MiB before, {most >> 20} at most, {after >> 20} after; steps {from} to {to}; p99 "
            + $"{alone / 1000:0.00} ms alone, {beside / 1000:0.00} ms beside");

        Assert.Equal(Enumerable.Range(0, delivered.Count), delivered.Select(row => row.Step));
        Assert.InRange(beside, 0, Math.Max(2 * alone, StepUs));
        Assert.InRange(most, before / 2, Ceiling);
        Assert.InRange(after, 0, (long)(1.2 * before));
    }

    private static double P99(IEnumerable<(int Step, double Us)> delivered, int from, int to)
    {
        var sorted = delivered.Where(row => row.Step >= from && row.Step < to).Select(row => row.Us).Order().ToList();
        return sorted[(int)(0.99 * (sorted.Count - 1))];
    }

    // As many calls, whatever comes of each, on ten connections.
    private static async Task SubscribeAsync(string address, int calls, string name)
    {
        const int Connections = 10;
        await Task.WhenAll(Enumerable.Range(0, Connections).Select(async _ =>
        {
            using var channel = GrpcChannel.ForAddress(
                $"http://{address}",
                new GrpcChannelOptions { HttpHandler = new SocketsHttpHandler { UseProxy = false }, DisposeHttpClient = true });
            var bridge = new Bridge.BridgeClient(channel);
            for (var call = 0; call < calls / Connections; call++)
            {
                using var subscription = bridge.Subscribe(
                    new SubscribeRequest { Agent = name, Policy = Policy.Latest }, cancellationToken: Token);
                try
                {
                    // Taken or refused: then the next one.
                    await subscription.ResponseHeadersAsync;
                }
                catch (RpcException)
                {
                }
            }
        }));
    }

    [GeneratedRegex(@"gRPC on (?<grpc>[\d.:]+), WebSocket on ws://(?<web>[\d.:]+)/v1")]
    private static partial Regex ListeningLine();

    private sealed record Servers(BridgeProcess Match, MatchFolder Folder, string Grpc, string Web)
    {
        public Func<bool> Steps(int more)
        {
            var until = Folder.StepsSoFar() + more;
            return () => Folder.StepsSoFar() >= until;
        }
    }

    /// <summary>Connections that send nothing.</summary>
    private sealed class Idle : IDisposable
    {
        private readonly List<Socket> _sockets = [];

        public static async Task<Idle> ConnectAsync(Servers servers, int count)
        {
            var idle = new Idle();
            for (var number = 0; number < count; number++)
            {
                var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
                idle._sockets.Add(socket);
                try
                {
                    await socket.ConnectAsync(IPEndPoint.Parse(number % 2 == 0 ? servers.Grpc : servers.Web), Token);
                }
                catch (SocketException)
                {
                    // Refused, which is what the bridge may do.
                }
            }

            return idle;
        }

        public void Dispose() => _sockets.ForEach(socket => socket.Dispose());
    }

    /// <summary>JSON readers that leave out different parts, and one that never reads.</summary>
    private sealed class Readers : IDisposable
    {
        private readonly List<ClientWebSocket> _sockets = [];

        public static async Task<Readers> ConnectAsync(string address, int count)
        {
            var readers = new Readers();
            for (var number = 0; number <= count; number++)
            {
                var socket = new ClientWebSocket();
                readers._sockets.Add(socket);
                socket.Options.AddSubProtocol("sc2bridge.v1.json");
                await socket.ConnectAsync(new Uri($"ws://{address}/v1"), Token);
                var request = new SubscribeRequest { Agent = $"reader-{number}", Overflow = Overflow.End };
                for (var part = 1; part <= 7; part++)
                {
                    if ((number & (1 << (part - 1))) != 0)
                    {
                        request.Exclude.Add((Part)part);
                    }
                }

                await new AgentSocket(socket).SendAsync(new AgentMessage { Subscribe = request });
                if (number > 0)
                {
                    _ = ReadAsync(socket);
                }
            }

            return readers;
        }

        public void Dispose() => _sockets.ForEach(socket => socket.Dispose());

        private static async Task ReadAsync(ClientWebSocket socket)
        {
            var buffer = new byte[64 << 10];
            try
            {
                while ((await socket.ReceiveAsync(buffer.AsMemory(), Token)).MessageType != WebSocketMessageType.Close)
                {
                }
            }
            catch (Exception gone) when (gone is WebSocketException or OperationCanceledException or ObjectDisposedException)
            {
                // Refused, ended, or the test is over.
            }
        }
    }
}
