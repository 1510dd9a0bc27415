using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Net;
using System.Net.WebSockets;
using Google.Protobuf;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Comparing.Running;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Event = Sc2Bridge.V1.Event;

namespace Sc2Bridge.Comparing.Serving;

/// <summary>
/// The best that a handler on Kestrel can do: one that writes the same bytes from the same memory to its one client and
/// knows nothing else, on a Kestrel with the bridge's own settings. The bridge is held against it. In JSON it is what a
/// user writes who has Google.Protobuf at hand: the message is parsed and formatted by the library.
/// </summary>
internal sealed class BareSender : ICellSender
{
    private const string JsonProtocol = "sc2bridge.v1.json";

    private readonly WebApplication _app;
    private TaskCompletionSource<Visit> _visit = New();

    private BareSender(string host)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseBridgeKestrel();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.Listen(IPAddress.Parse(host), 0, listen => listen.Protocols = HttpProtocols.Http2);
            kestrel.Listen(IPAddress.Parse(host), 0, listen => listen.Protocols = HttpProtocols.Http1);
        });
        _app = builder.Build();
        _app.UseWebSockets(new WebSocketOptions { KeepAliveInterval = Timeout.InfiniteTimeSpan });
        _app.MapPost("/sc2bridge.v1.Bridge/{method}", ServeGrpcAsync);
        _app.Map("/v1", ServeSocketAsync);
    }

    /// <inheritdoc/>
    public SenderAddresses Addresses { get; private set; } = new();

    /// <summary>Listens on free ports.</summary>
    public static async Task<BareSender> StartAsync(string host, CancellationToken ct)
    {
        var sender = new BareSender(host);
        await sender._app.StartAsync(ct);
        var bound = sender._app.Urls.Select(url => new Uri(url).Authority).ToList();
        sender.Addresses = new SenderAddresses(Grpc: bound[0], Web: bound[1]);
        return sender;
    }

    /// <inheritdoc/>
    public async Task SendAsync(MeasuredSource match, int subscribers, CancellationToken ct)
    {
        var visit = await _visit.Task.WaitAsync(ct);
        try
        {
            await FrameLoop.RunAsync(match, visit.Send, ct);
            await visit.End(FrameLoop.EndEvent(match));
        }
        catch (Exception gone) when (FrameLoop.IsGone(gone))
        {
            // A client that has heard enough leaves.
        }
        finally
        {
            _visit = New();
            visit.Over.SetResult();
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _app.DisposeAsync();

    private static TaskCompletionSource<Visit> New() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private async Task ServeGrpcAsync(HttpContext context)
    {
        var writer = context.Response.BodyWriter;
        context.Response.ContentType = "application/grpc";
        await context.Response.StartAsync();
        await SubscriptionAsync(context.Request.BodyReader);
        await ServeAsync(
            async frame =>
            {
                FrameLoop.WritePrefix(writer.GetSpan(FrameLoop.PrefixLength), frame.EventMessage.Length);
                writer.Advance(FrameLoop.PrefixLength);
                await writer.WriteAsync(frame.EventMessage);
            },
            async message => await writer.WriteAsync(FrameLoop.Framed(message)));
        context.Response.AppendTrailer("grpc-status", "0");
    }

    private async Task ServeSocketAsync(HttpContext context)
    {
        var protocol = context.WebSockets.WebSocketRequestedProtocols[0];
        using var socket = await context.WebSockets.AcceptWebSocketAsync(protocol);
        var received = new byte[4096];
        await socket.ReceiveAsync(received.AsMemory(), context.RequestAborted);
        await (protocol == JsonProtocol
            ? ServeAsync(frame => SendTextAsync(TextOf(frame)), message => SendTextAsync(TextOf(message)))
            : ServeAsync(frame => SendAsync(frame.EventMessage), message => SendAsync(message)));
        await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, context.RequestAborted);

        ValueTask SendAsync(ReadOnlyMemory<byte> message) =>
            socket.SendAsync(message, WebSocketMessageType.Binary, endOfMessage: true, context.RequestAborted);

        ValueTask SendTextAsync(byte[] text) =>
            socket.SendAsync(text.AsMemory(), WebSocketMessageType.Text, endOfMessage: true, context.RequestAborted);
    }

    private static byte[] TextOf(ObservationFrame frame)
    {
        using var lap = EncodingClock.Run(frame);
        return TextOf(frame.EventMessage.Span);
    }

    private static byte[] TextOf(ReadOnlySpan<byte> message) =>
        System.Text.Encoding.UTF8.GetBytes(JsonFormatter.Default.Format(Event.Parser.ParseFrom(message)));

    private Task ServeAsync(Func<ObservationFrame, ValueTask> send, Func<byte[], ValueTask> end)
    {
        var over = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _visit.TrySetResult(new Visit(send, end, over));
        return over.Task;
    }

    private static async Task SubscriptionAsync(PipeReader reader)
    {
        while (true)
        {
            var result = await reader.ReadAsync();
            var isWhole = IsMessage(result.Buffer);
            reader.AdvanceTo(isWhole ? result.Buffer.End : result.Buffer.Start, result.Buffer.End);
            if (isWhole || result.IsCompleted)
            {
                return;
            }
        }
    }

    private static bool IsMessage(ReadOnlySequence<byte> buffer)
    {
        if (buffer.Length < FrameLoop.PrefixLength)
        {
            return false;
        }

        Span<byte> prefix = stackalloc byte[FrameLoop.PrefixLength];
        buffer.Slice(0, prefix.Length).CopyTo(prefix);
        return buffer.Length >= prefix.Length + BinaryPrimitives.ReadUInt32BigEndian(prefix[1..]);
    }

    // A client that is there, with what writes to it.
    private sealed record Visit(Func<ObservationFrame, ValueTask> Send, Func<byte[], ValueTask> End, TaskCompletionSource Over);
}
