using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Measuring;
using Sc2Bridge.Server;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>
/// The best that a handler on Kestrel can do: one that writes the framed bytes from pinned memory to its one client and
/// knows nothing else, on a Kestrel with the bridge's own settings. The bridge is held against it.
/// </summary>
internal abstract class BareKestrelTarget : IDeliveryTarget
{
    private readonly WebApplication _app;
    private TaskCompletionSource _served = new();

    /// <summary>Sets the server up on a port of its own.</summary>
    protected BareKestrelTarget(MeasuredFrames frames, HttpProtocols protocols)
    {
        Frames = new PinnedFrames(frames);
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseBridgeKestrel();
        builder.WebHost.ConfigureKestrel(options =>
            options.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = protocols));
        _app = builder.Build();
    }

    public abstract string Name { get; }

    public abstract string Transport { get; }

    public string Address { get; private set; } = "";

    public bool HasLockstep => true;

    public string? Peer => null;

    /// <summary>What is sent.</summary>
    protected PinnedFrames Frames { get; }

    /// <summary>What the next client gets.</summary>
    protected Phase Phase { get; private set; } = new(Lockstep: false, 0, 1, Digests: false);

    public async Task StartAsync(CancellationToken ct)
    {
        Map(_app);
        await _app.StartAsync(ct);
        Address = new Uri(_app.Urls.Single()).Authority;
    }

    public async Task ServeAsync(Phase phase, CancellationToken ct)
    {
        Phase = phase;
        _served = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await _served.Task.WaitAsync(ct);
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    protected abstract void Map(WebApplication app);

    /// <summary>Runs a phase over the two things that a transport can do, and says when it is over.</summary>
    protected async Task RunAsync(Func<ValueTask> send, Func<ValueTask> receive, CancellationToken ct)
    {
        try
        {
            await receive(); // the subscription
            if (Phase.Lockstep)
            {
                await send();
                for (var sent = 1; sent < Phase.Frames; sent++)
                {
                    await receive();
                    await send();
                }
            }
            else
            {
                await Pacer.RunAsync(Phase.Frames, Phase.Rate, send, ct);
            }
        }
        catch (Exception exception) when (exception is not MeasuringException)
        {
            // The client leaves when it holds the last frame, whose write may not have come back yet; a frame too few
            // is the client's to report.
            _ = exception;
        }

        _served.TrySetResult();
    }
}

/// <summary>One two-way gRPC stream, written to as bytes.</summary>
internal sealed class BareGrpcTarget(MeasuredFrames frames) : BareKestrelTarget(frames, HttpProtocols.Http2)
{
    public override string Name => "bare gRPC";

    public override string Transport => "grpc";

    protected override void Map(WebApplication app) => app.MapPost("/sc2bridge.v1.Bridge/Play", PlayAsync);

    private async Task PlayAsync(HttpContext context)
    {
        var reader = context.Request.BodyReader;
        var writer = context.Response.BodyWriter;
        context.Response.ContentType = "application/grpc";
        await context.Response.StartAsync();
        await RunAsync(
            async () => await writer.WriteAsync(Frames.NextGrpcMessage()),
            () => ReadAsync(reader),
            context.RequestAborted);
        context.Response.AppendTrailer("grpc-status", "0");
    }

    private static async ValueTask ReadAsync(PipeReader reader)
    {
        while (true)
        {
            var result = await reader.ReadAsync();
            if (MessageLength(result.Buffer) is { } length)
            {
                reader.AdvanceTo(result.Buffer.GetPosition(length));
                return;
            }

            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
            if (result.IsCompleted)
            {
                throw new MeasuringException("the client went away");
            }
        }
    }

    private static long? MessageLength(ReadOnlySequence<byte> buffer)
    {
        if (buffer.Length < 5)
        {
            return null;
        }

        Span<byte> prefix = stackalloc byte[5];
        buffer.Slice(0, 5).CopyTo(prefix);
        var length = 5 + BinaryPrimitives.ReadUInt32BigEndian(prefix[1..]);
        return buffer.Length >= length ? length : null;
    }
}

/// <summary>One WebSocket, a binary message a frame.</summary>
internal sealed class BareWebSocketTarget(MeasuredFrames frames) : BareKestrelTarget(frames, HttpProtocols.Http1)
{
    private readonly byte[] _answer = new byte[4096];

    public override string Name => "bare WebSocket";

    public override string Transport => "websocket";

    protected override void Map(WebApplication app)
    {
        app.UseWebSockets(new WebSocketOptions { KeepAliveInterval = Timeout.InfiniteTimeSpan });
        app.Map("/v1", ServeSocketAsync);
    }

    private async Task ServeSocketAsync(HttpContext context)
    {
        using var socket = await context.WebSockets.AcceptWebSocketAsync("sc2bridge.v1.proto");
        var ct = context.RequestAborted;
        await RunAsync(
            () => socket.SendAsync(
                Frames.NextEventMessage(), System.Net.WebSockets.WebSocketMessageType.Binary, endOfMessage: true, ct),
            async () => await socket.ReceiveAsync(_answer.AsMemory(), ct),
            ct);
        await socket.ReceiveAsync(_answer.AsMemory(), ct); // the client's close
        await socket.CloseOutputAsync(System.Net.WebSockets.WebSocketCloseStatus.NormalClosure, null, ct);
    }
}
