using System.Collections.Concurrent;
using System.Net.WebSockets;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using Sc2Bridge.Broker.Tests;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.V1;

namespace Sc2Bridge.Functional.Tests;

/// <summary>A match, a broker and relays as separate programs. A relay's subscriber gets the same as a direct subscriber.</summary>
public sealed class RelayTests(TestBroker broker) : IClassFixture<TestBroker>, IDisposable
{
    private const uint Loop = 50;
    private const int Enough = 40;

    // As agent-js/page/src/watching.ts asks.
    private static readonly SubscribeRequest _page = new()
    {
        Agent = "page",
        Policy = Policy.Latest,
        Content = Content.Columns,
        Compression = Compression.GroupZstd,
        Exclude = { Part.Abilities, Part.FeatureLayers, Part.Render, Part.Ui },
    };

    private readonly MatchFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task A_relay_sends_the_same_events_over_every_transport_and_to_the_page()
    {
        broker.Require();
        using var match = _folder.Match("--rate", "22.4", "--wait", "2", "--publish", $"{broker.Address}", "--tag", "relayed");
        var beside = await AddressesAsync(match);
        var every = new SubscribeRequest { Policy = Policy.Every };
        var local = new Heard(OverGrpc(beside.Grpc, every));
        var columns = new Heard(OverWebSocket(beside.Web, "proto", new SubscribeRequest(_page) { Policy = Policy.Every, Compression = Compression.None }));
        await match.UntilAsync(() => local.Count > 2 * Loop);

        using var first = Relay("first", "--from", "0", "--wait", "4");
        using var loop = Relay("loop", "--from", $"{Loop}", "--wait", "1");
        using var middle = Relay("middle", "--wait", "1");
        var from = await AddressesAsync(first);
        Heard[] whole =
        [
            new(OverGrpc(from.Grpc, every)), new(OverWebSocket(from.Web, "proto", every)), new(OverWebSocket(from.Web, "json", every)),
        ];
        var page = new Heard(OverWebSocket(from.Web, "proto", _page));
        var later = new Heard(OverGrpc((await AddressesAsync(loop)).Grpc, every));
        var latest = new Heard(OverGrpc((await AddressesAsync(middle)).Grpc, every));
        Heard[] all = [.. whole, page, later, latest];
        await match.UntilAsync(() => all.All(one => one.Count > Enough));
        match.Signal(BridgeProcess.Interrupt);
        await match.EndAsync();
        await Task.WhenAll(all.Append(local).Append(columns).Select(one => one.Ended));
        foreach (var relay in new[] { first, loop, middle })
        {
            (await relay.EndAsync()).Well();
        }

        Assert.All(whole, one => Assert.Equal(local.Frames, one.Frames));
        Assert.Equal(local.Frames.Skip((int)Loop), later.Frames);
        Assert.InRange(latest.Frames.First().Step, 1ul, (ulong)local.Count - Enough);
        Assert.Equal(local.Frames.TakeLast(latest.Count), latest.Frames);

        // The page gets the newest frame each time, including the last one.
        Assert.Equal(columns.Frames.Last(), page.Frames.Last());
        Assert.Subset(columns.Frames.ToHashSet(), page.Frames.ToHashSet());
    }

    private BridgeProcess Relay(string name, params string[] more) => BridgeProcess.Start(
    [
        .. BridgeProcess.Program, "relay", $"{broker.Address}", "--match", "relayed", "--no-agents", "--grpc", "127.0.0.1:0",
        "--web", "127.0.0.1:0", "--out", Path.Combine(_folder.Path, name), .. more,
    ]);

    private static async Task<(string Grpc, string Web)> AddressesAsync(BridgeProcess bridge)
    {
        var words = (await bridge.LineAsync("gRPC on")).Split(' ', ',');
        return (words[Array.IndexOf(words, "gRPC") + 2], words.First(word => word.StartsWith("ws://", StringComparison.Ordinal)));
    }

    private static async IAsyncEnumerable<PlayResponse> OverGrpc(string address, SubscribeRequest request)
    {
        using var channel = GrpcChannel.ForAddress($"http://{address}", new GrpcChannelOptions { MaxReceiveMessageSize = null });
        using var events = new BridgeService.BridgeServiceClient(channel).Subscribe(request, cancellationToken: Ct);
        while (await events.ResponseStream.MoveNext(Ct))
        {
            yield return events.ResponseStream.Current;
        }
    }

    private static async IAsyncEnumerable<PlayResponse> OverWebSocket(string address, string form, SubscribeRequest request)
    {
        using var socket = await AgentSocket.ConnectAsync(address, $"sc2bridge.{form}.v1");
        await socket.SendAsync(new PlayRequest { Subscribe = request });
        while (await socket.ReceiveAsync() is { } received)
        {
            yield return received;
        }
    }

    /// <summary>The events that a subscriber receives until the match has ended.</summary>
    private sealed class Heard
    {
        private readonly ConcurrentQueue<(ulong Step, string Bytes)> _frames = [];

        public Heard(IAsyncEnumerable<PlayResponse> events) => Ended = HearAsync(events);

        public Task Ended { get; }

        public int Count => _frames.Count;

        public IEnumerable<(ulong Step, string Bytes)> Frames => _frames;

        private async Task HearAsync(IAsyncEnumerable<PlayResponse> events)
        {
            using var decoder = new GroupDecoder();
            await foreach (var one in events)
            {
                if (one.MatchEnd is not null)
                {
                    return;
                }

                if (one.Frame is { } frame)
                {
                    _frames.Enqueue((frame.Step, Convert.ToHexString(
                        frame.Block is { } block ? Columns.Parser.ParseFrom(decoder.Decode(block).Span).ToByteArray()
                        : frame.Columns is { } columns ? columns.ToByteArray()
                        : frame.Observation.ToByteArray())));
                }
            }
        }
    }
}
