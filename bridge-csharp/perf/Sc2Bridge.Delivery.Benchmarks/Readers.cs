using System.CommandLine;
using System.Net.WebSockets;
using System.Text.Json;
using Google.Protobuf;
using Sc2Bridge.Measuring;
using Sc2Bridge.V1;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>What many readers together saw.</summary>
/// <param name="Readers">How many there were.</param>
/// <param name="FramesEach">What each received: its steps without a gap.</param>
/// <param name="P50Us">From the frame's arrival at the bridge to a reader holding it.</param>
/// <param name="P99Us">The same, exceeded by one in a hundred.</param>
internal sealed record ReadersResult(int Readers, int FramesEach, double P50Us, double P99Us);

/// <summary>
/// Light readers of the bridge, in a process of their own: they look at a frame's step and let it go.
/// </summary>
internal static class Readers
{
    /// <summary>The command that the other process runs.</summary>
    public static Command Create()
    {
        var grpc = new Option<string>("--grpc") { DefaultValueFactory = _ => "" };
        var grpcCount = new Option<int>("--grpc-count");
        var web = new Option<string>("--web") { DefaultValueFactory = _ => "" };
        var webCount = new Option<int>("--web-count");
        var frames = new Option<int>("--count");
        var command = new Command("readers", "Reads frames and counts them (started by the other commands)")
        {
            grpc, grpcCount, web, webCount, frames,
        };
        command.Hidden = true;
        command.SetAction(async (parsed, ct) =>
        {
            var count = parsed.GetValue(frames);
            var readers = Enumerable.Range(0, parsed.GetValue(grpcCount))
                .Select(index => ReadGrpcAsync(parsed.GetValue(grpc)!, new FrameTally($"grpc-{index}", count), ct))
                .Concat(Enumerable.Range(0, parsed.GetValue(webCount))
                    .Select(index =>
                        ReadWebSocketAsync(parsed.GetValue(web)!, new FrameTally($"ws-{index}", count), ct)))
                .ToArray();
            var tallies = await Task.WhenAll(readers);
            var delays = tallies.SelectMany(tally => tally.DelaysUs).ToArray();
            Console.WriteLine(JsonSerializer.Serialize(new ReadersResult(
                tallies.Length, count, Statistics.Quantile(delays, 0.50), Statistics.Quantile(delays, 0.99))));
            return 0;
        });
        return command;
    }

    private static async Task<FrameTally> ReadGrpcAsync(string address, FrameTally tally, CancellationToken ct)
    {
        using var events = new GrpcEvents(address, tally.Subscription, message => tally.Count(message), ct);
        while (!tally.Complete)
        {
            if (!await events.NextAsync(ct))
            {
                throw new MeasuringException($"{tally.Name}: the stream ended after {tally.DelaysUs.Count} frames");
            }
        }

        return tally;
    }

    private static async Task<FrameTally> ReadWebSocketAsync(string address, FrameTally tally, CancellationToken ct)
    {
        using var socket = new ClientWebSocket();
        socket.Options.KeepAliveInterval = TimeSpan.Zero;
        socket.Options.AddSubProtocol("sc2bridge.v1.proto");
        await socket.ConnectAsync(new Uri($"ws://{address}/v1"), ct);
        var first = new AgentMessage { Subscribe = tally.Subscription };
        await socket.SendAsync(first.ToByteArray(), WebSocketMessageType.Binary, endOfMessage: true, ct);
        var buffer = new byte[4 << 20];
        while (!tally.Complete)
        {
            var received = await socket.ReceiveAsync(buffer.AsMemory(), ct);
            var held = received.Count;
            while (!received.EndOfMessage)
            {
                received = await socket.ReceiveAsync(buffer.AsMemory(held), ct);
                held += received.Count;
            }

            if (received.MessageType == WebSocketMessageType.Close)
            {
                throw new MeasuringException(
                    $"{tally.Name}: closed after {tally.DelaysUs.Count} frames: {socket.CloseStatusDescription}");
            }

            tally.Count(buffer.AsSpan(0, held));
        }

        return tally;
    }
}
