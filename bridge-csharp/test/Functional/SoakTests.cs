using System.Globalization;
using System.Net.WebSockets;
using Grpc.Core;
using Grpc.Net.Client;
using Sc2Bridge.V1;

namespace Sc2Bridge.Functional.Tests;

/// <summary>
/// Clients that come and go for a long time, each with another transport, policy, content and compression: memory, sockets
/// and descriptors stay flat.
/// </summary>
public sealed class SoakTests(ITestOutputHelper output)
{
    private const int Clients = 6;
    private const int FramesOfEach = 40;

    private static readonly List<(string Transport, SubscribeRequest Request)> _combinations =
    [
        .. from transport in new[] { "grpc", "sc2bridge.proto.v1", "sc2bridge.json.v1" }
           from policy in new[] { Policy.Every, Policy.Latest, Policy.Lockstep }
           from content in new[] { Content.Observation, Content.Columns }
           from compression in new[] { Compression.None, Compression.Zstd, Compression.GroupZstd }
           let request = new SubscribeRequest
           {
               Agent = "soak", Perspective = 1, Policy = policy, Content = content, Compression = compression,
               Overflow = policy == Policy.Every ? Overflow.End : Overflow.Unspecified,
           }
           where !(transport == "grpc" && policy == Policy.Lockstep)
           where transport != "sc2bridge.json.v1" || (content == Content.Observation && compression == Compression.None)
           select (transport, request),
    ];

    // SC2BRIDGE_SOAK_MINUTES asks for more: an hour before a release.
    private static TimeSpan Length => TimeSpan.FromMinutes(double.Parse(
        Environment.GetEnvironmentVariable("SC2BRIDGE_SOAK_MINUTES") ?? "2.5", CultureInfo.InvariantCulture));

    [Fact]
    [Trait("Suite", "Long")]
    public async Task Memory_sockets_and_descriptors_stay_flat()
    {
        using var folder = new MatchFolder();

        // A match of two idle sides does not end. A match of computers ends within the hour, and grows until then.
        using var match = folder.Match(
            "--rate", "22.4", "--steps", "1000000", "--player", "agent:terran", "--player", "agent:zerg",
            "--open-perspectives", "--agent", "1=sc2bridge.agents:Watcher");
        var (grpc, web) = HostileClientsTests.Addresses(await match.LineAsync("WebSocket on"));
        await match.UntilAsync(() => folder.StepsSoFar() > 50);
        var began = TimeProvider.System.GetTimestamp();
        var served = new int[_combinations.Count];
        var next = 0;
        var clients = Enumerable.Range(0, Clients).Select(async _ =>
        {
            while (TimeProvider.System.GetElapsedTime(began) < Length)
            {
                var turn = (Interlocked.Increment(ref next) - 1) % _combinations.Count;
                var (transport, request) = _combinations[turn];
                var frames = transport == "grpc"
                    ? await OverGrpcAsync(grpc, request)
                    : await OverWebSocketAsync(web, transport, request);
                Assert.Equal(FramesOfEach, frames);
                Interlocked.Increment(ref served[turn]);
            }
        }).ToList();

        var samples = new List<(long Resident, int Descriptors, int Sockets)>();
        var all = Task.WhenAll(clients);
        while (!all.IsCompleted)
        {
            await match.UntilAsync(Later(folder, 22));
            samples.Add((
                ProcessFacts.Resident(match.Id), Directory.GetFiles($"/proc/{match.Id}/fd").Length,
                ProcessFacts.Sockets(match.Id).Count));
        }

        await all;
        match.Signal(BridgeProcess.Interrupt);
        await match.EndAsync();
        Assert.All(served, times => Assert.True(times > 0));
        var (early, late) = (Middle(samples, 1), Middle(samples, 2));
        output.WriteLine(
            $"{served.Sum()} subscriptions of {served.Length} kinds; resident {early.Resident >> 20} MiB, then "
            + $"{late.Resident >> 20}; descriptors {early.Descriptors}, then {late.Descriptors}; sockets {early.Sockets}, "
            + $"then {late.Sockets}");
        Assert.InRange(late.Resident, 0, (long)(1.15 * early.Resident));
        Assert.InRange(late.Descriptors, 0, early.Descriptors + Clients);
        Assert.InRange(late.Sockets, 1, early.Sockets + Clients);
    }

    private static Func<bool> Later(MatchFolder folder, int steps)
    {
        var until = folder.StepsSoFar() + steps;
        return () => folder.StepsSoFar() >= until;
    }

    // The median of the second or the last third.
    private static (long Resident, int Descriptors, int Sockets) Middle(
        List<(long Resident, int Descriptors, int Sockets)> samples, int third)
    {
        var part = samples.Skip(samples.Count * third / 3).Take(samples.Count / 3).ToList();
        return (
            part.Select(sample => sample.Resident).Order().ElementAt(part.Count / 2),
            part.Select(sample => sample.Descriptors).Order().ElementAt(part.Count / 2),
            part.Select(sample => sample.Sockets).Order().ElementAt(part.Count / 2));
    }

    private static async Task<int> OverGrpcAsync(string address, SubscribeRequest request)
    {
        using var channel = GrpcChannel.ForAddress(
            $"http://{address}",
            new GrpcChannelOptions
            {
                HttpHandler = new SocketsHttpHandler { UseProxy = false },
                DisposeHttpClient = true,
                MaxReceiveMessageSize = null,
            });
        using var events = new BridgeService.BridgeServiceClient(channel).Subscribe(request, cancellationToken: Ct);
        var frames = 0;
        while (frames < FramesOfEach && await events.ResponseStream.MoveNext(Ct))
        {
            frames += events.ResponseStream.Current.Frame is null ? 0 : 1;
        }

        return frames;
    }

    private static async Task<int> OverWebSocketAsync(string address, string form, SubscribeRequest request)
    {
        using var socket = await AgentSocket.ConnectAsync($"ws://{address}/v1", form);
        await socket.SendAsync(new PlayRequest { Subscribe = request });
        var frames = 0;
        while (frames < FramesOfEach && await socket.ReceiveAsync() is { } received)
        {
            if (received.Frame is { } frame)
            {
                frames++;
                if (request.Policy == Policy.Lockstep)
                {
                    await socket.SendAsync(new PlayRequest { Acknowledge = new Acknowledgement { Step = frame.Step } });
                }
            }
        }

        return frames;
    }
}
