using System.CommandLine;
using System.Net.WebSockets;
using Google.Protobuf;
using Sc2Bridge.Measuring;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>
/// Subscribers that come, hear some frames and go, in a process of their own, until that is ended: each time over the
/// next transport, with the next content, compression and policy.
/// </summary>
internal static class Visitors
{
    private const int FewestFrames = 20;
    private const int MostFrames = 180;
    private static readonly string[] _transports = ["grpc", "sc2bridge.v1.proto", "sc2bridge.v1.json"];
    private static readonly Content[] _contents = [Content.Observation, Content.Columns];
    private static readonly Compression[] _compressions =
        [Compression.None, Compression.Zstd, Compression.GroupZstd];
    private static readonly Policy[] _policies = [Policy.Every, Policy.Latest];

    /// <summary>How many kinds of subscriptions there are.</summary>
    public static int Kinds => _transports.Length * _contents.Length * _compressions.Length * _policies.Length;

    /// <summary>The command that the other process runs.</summary>
    public static Command Create()
    {
        var grpc = new Option<string>("--grpc") { Required = true };
        var web = new Option<string>("--web") { Required = true };
        var count = new Option<int>("--count");
        var command = new Command("visitors", "Subscribes again and again (started by the memory command)")
        {
            grpc, web, count,
        };
        command.Hidden = true;
        command.SetAction(async (parsed, ct) =>
        {
            await Task.WhenAll(Enumerable.Range(0, parsed.GetValue(count)).Select(
                number => VisitAsync(number, parsed.GetValue(grpc)!, parsed.GetValue(web)!, ct)));
            return 0;
        });
        return command;
    }

    private static async Task VisitAsync(int number, string grpc, string web, CancellationToken ct)
    {
        // Fixed seeds: each run sees the same.
        var random = new Random(number);
        for (var visit = 0; ; visit++)
        {
            var kind = random.Next(Kinds);
            var transport = _transports[kind % _transports.Length];
            kind /= _transports.Length;
            var subscription = new SubscribeRequest
            {
                Agent = $"visitor-{number}-{visit}",
                Content = _contents[kind % _contents.Length],
                Compression = _compressions[kind / _contents.Length % _compressions.Length],
                Policy = _policies[kind / _contents.Length / _compressions.Length],
            };
            var frames = random.Next(FewestFrames, MostFrames);
            if (transport == "grpc")
            {
                await HearGrpcAsync(grpc, subscription, frames, ct);
            }
            else
            {
                await HearWebSocketAsync(web, transport, subscription, frames, ct);
            }
        }
    }

    private static async Task HearGrpcAsync(
        string address, SubscribeRequest subscription, int frames, CancellationToken ct)
    {
        using var events = new GrpcEvents(address, subscription, static _ => { }, ct);
        for (var frame = 0; frame < frames; frame++)
        {
            if (!await events.NextAsync(ct))
            {
                throw new MeasuringException($"{subscription.Agent}: the stream ended after {frame} frames");
            }
        }
    }

    private static async Task HearWebSocketAsync(
        string address, string subProtocol, SubscribeRequest subscription, int frames, CancellationToken ct)
    {
        using var socket = new ClientWebSocket();
        socket.Options.AddSubProtocol(subProtocol);
        await socket.ConnectAsync(new Uri($"ws://{address}/v1"), ct);
        var first = new AgentMessage { Subscribe = subscription };
        var (bytes, kind) = subProtocol.EndsWith("json", StringComparison.Ordinal)
            ? (System.Text.Encoding.UTF8.GetBytes(JsonFormatter.Default.Format(first)), WebSocketMessageType.Text)
            : (first.ToByteArray(), WebSocketMessageType.Binary);
        await socket.SendAsync(bytes, kind, endOfMessage: true, ct);
        var buffer = new byte[64 << 10];
        for (var frame = 0; frame < frames; frame++)
        {
            ValueWebSocketReceiveResult received;
            do
            {
                received = await socket.ReceiveAsync(buffer.AsMemory(), ct);
            }
            while (!received.EndOfMessage);

            if (received.MessageType == WebSocketMessageType.Close)
            {
                throw new MeasuringException(
                    $"{subscription.Agent}: closed after {frame} frames: {socket.CloseStatusDescription}");
            }
        }
    }
}
