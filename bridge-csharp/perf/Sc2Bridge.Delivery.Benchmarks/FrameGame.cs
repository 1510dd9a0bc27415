using System.CommandLine;
using System.Net;
using System.Net.WebSockets;
using Google.Protobuf;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using SC2APIProtocol;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>
/// A game process with no world: it answers steps at once and observations with the benchmark's frames, over the socket
/// and in the messages of the real one. What a step takes is then the way there and back, which readers might disturb.
/// </summary>
internal static class FrameGame
{
    /// <summary>The command that the other process runs: writes its port, and goes on until it is ended.</summary>
    public static Command Create()
    {
        var frames = CommonOptions.Frames();
        var command = new Command("frame-game", "Answers as a game does, with the frames given (started by the other commands)")
        {
            frames,
        };
        command.Hidden = true;
        command.SetAction(async (parsed, ct) =>
        {
            var source = await FrameSource.OpenAsync(parsed.GetValue(frames), ct);
            var builder = WebApplication.CreateSlimBuilder();
            builder.Logging.ClearProviders();
            builder.WebHost.ConfigureKestrel(options => options.Listen(IPAddress.Loopback, 0));
            await using var app = builder.Build();
            app.UseWebSockets(new Microsoft.AspNetCore.Builder.WebSocketOptions { KeepAliveInterval = Timeout.InfiniteTimeSpan });
            app.Map("/sc2api", context => ServeAsync(context, source));
            await app.StartAsync(ct);
            Console.WriteLine(new Uri(app.Urls.Single()).Port);
            await Task.Delay(Timeout.Infinite, ct);
            return 0;
        });
        return command;
    }

    private static async Task ServeAsync(HttpContext context, BenchmarkFrames frames)
    {
        using var socket = await context.WebSockets.AcceptWebSocketAsync();
        var buffer = new byte[4096];
        // The fields of a Response may come in any order: the observation first, so that it is written but once.
        var observations = Enumerable.Range(0, frames.Count).Select(index => new Response
        {
            Observation = ResponseObservation.Parser.ParseFrom(frames.Observation((ulong)index)),
            Status = Status.InGame,
        }.ToByteArray()).ToArray();
        var answer = new byte[observations.Max(observation => observation.Length) + 16];
        for (var step = 0; ;)
        {
            var received = await socket.ReceiveAsync(buffer.AsMemory(), context.RequestAborted);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                return;
            }

            var request = Request.Parser.ParseFrom(buffer.AsSpan(0, received.Count));
            var body = request.RequestCase == Request.RequestOneofCase.Observation
                ? observations[step++ % observations.Length]
                : new Response { Step = new ResponseStep(), Status = Status.InGame }.ToByteArray();
            body.CopyTo(answer, 0);
            var id = new Response { Id = request.Id }.ToByteArray();
            id.CopyTo(answer, body.Length);
            await socket.SendAsync(
                answer.AsMemory(0, body.Length + id.Length), WebSocketMessageType.Binary, endOfMessage: true, context.RequestAborted);
        }
    }
}
