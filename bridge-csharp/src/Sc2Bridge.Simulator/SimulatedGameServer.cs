using System.Buffers;
using System.Net;
using System.Net.WebSockets;
using Google.Protobuf;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator;

/// <summary>
/// The simulated game as a server: <c>ws://HOST:PORT/sc2api</c>, binary messages, one Response for each Request in
/// order, one client at a time. It quits when told to, as the real one does.
/// </summary>
public sealed class SimulatedGameServer : IAsyncDisposable
{
    private const int LargestRequest = 64 * 1024 * 1024;
    private readonly WebApplication _app;
    private readonly SimulatorOptions _options;
    private readonly GameShell _game;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _stopping = new();
    private int _clients;

    private SimulatedGameServer(WebApplication app, SimulatorOptions options)
    {
        (_app, _options) = (app, options);
        _game = new GameShell(options);
    }

    /// <summary>The port that it listens on.</summary>
    public int Port { get; private set; }

    /// <summary>Completes when the game has quit: it was told to, or its client left and it was to follow.</summary>
    public Task Ended => _ended.Task;

    /// <summary>Starts a game and listens.</summary>
    /// <param name="options">Where, and what it answers.</param>
    /// <param name="ct">Gives up starting.</param>
    /// <exception cref="ArgumentException">The address or the folder of observations cannot be used.</exception>
    /// <exception cref="IOException">The port is taken.</exception>
    public static async Task<SimulatedGameServer> StartAsync(SimulatorOptions options, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        var address = options.Listen is "localhost" ? IPAddress.Loopback
            : IPAddress.TryParse(options.Listen, out var parsed) ? parsed
            : throw new ArgumentException($"-listen {options.Listen} is not an address: give one such as 127.0.0.1.");
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Listen(address, options.Port, listen => listen.Protocols = HttpProtocols.Http1);
        });
        var app = builder.Build();
        var server = new SimulatedGameServer(app, options);

        // The game sends no pings, and a client must send none.
        app.UseWebSockets(new WebSocketOptions { KeepAliveInterval = TimeSpan.Zero });
        app.Run(server.AcceptAsync);
        await app.StartAsync(ct).ConfigureAwait(false);
        server.Port = new Uri(app.Urls.First()).Port;
        return server;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        _ended.TrySetResult();
        using var soon = new CancellationTokenSource(TimeSpan.FromSeconds(2));
        await _app.StopAsync(soon.Token).ConfigureAwait(false);
        await _app.DisposeAsync().ConfigureAwait(false);
        await _game.DisposeAsync().ConfigureAwait(false);
        _stopping.Dispose();
    }

    private async Task AcceptAsync(HttpContext context)
    {
        if (context.Request.Path != "/sc2api" || !context.WebSockets.IsWebSocketRequest)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        if (Interlocked.CompareExchange(ref _clients, 1, 0) != 0)
        {
            // The game has one client at a time.
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            return;
        }

        try
        {
            using var socket = await context.WebSockets.AcceptWebSocketAsync().ConfigureAwait(false);
            using var ending = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, _stopping.Token);
            await ServeAsync(socket, ending.Token).ConfigureAwait(false);
        }
        catch (Exception left) when (left is WebSocketException or OperationCanceledException or IOException)
        {
            // The client went away, which is its right.
        }
        finally
        {
            Volatile.Write(ref _clients, 0);
            if (_game.Status == Status.Quit || _options.QuitWhenAlone)
            {
                _ended.TrySetResult();
            }
        }
    }

    private async Task ServeAsync(WebSocket socket, CancellationToken ct)
    {
        var input = new ArrayBufferWriter<byte>();
        var output = new ArrayBufferWriter<byte>();
        while (await ReceiveAsync(socket, input, ct).ConfigureAwait(false))
        {
            Request request;
            try
            {
                request = Request.Parser.ParseFrom(input.WrittenSpan);
            }
            catch (InvalidProtocolBufferException)
            {
                await CloseAsync(socket, WebSocketCloseStatus.InvalidPayloadData, "not a Request", ct)
                    .ConfigureAwait(false);
                return;
            }

            output.ResetWrittenCount();
            await _game.AnswerAsync(request, output, ct).ConfigureAwait(false);
            if (_game.ProcessTest is { } test)
            {
                await FailAsync(test, ct).ConfigureAwait(false);
                return;
            }

            await socket.SendAsync(output.WrittenMemory, WebSocketMessageType.Binary, true, ct).ConfigureAwait(false);
            if (_game.Status == Status.Quit)
            {
                await CloseAsync(socket, WebSocketCloseStatus.NormalClosure, "quit", ct).ConfigureAwait(false);
                return;
            }
        }
    }

    // What a debug command asks for, to test whoever watches the process: it answers no more.
    private async Task FailAsync(DebugTestProcess test, CancellationToken ct)
    {
        var delay = TimeSpan.FromMilliseconds(Math.Max(0, test.DelayMs));
        await Task.Delay(delay, _options.Clock, ct).ConfigureAwait(false);
        if (test.Test == DebugTestProcess.Types.Test.Hang)
        {
            await Task.Delay(Timeout.Infinite, ct).ConfigureAwait(false);
        }

        _ended.TrySetResult();
    }

    private static async Task<bool> ReceiveAsync(WebSocket socket, ArrayBufferWriter<byte> input, CancellationToken ct)
    {
        input.ResetWrittenCount();
        while (true)
        {
            var received = await socket.ReceiveAsync(input.GetMemory(4096), ct).ConfigureAwait(false);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                await CloseAsync(socket, WebSocketCloseStatus.NormalClosure, "", ct).ConfigureAwait(false);
                return false;
            }

            input.Advance(received.Count);
            if (input.WrittenCount > LargestRequest)
            {
                await CloseAsync(socket, WebSocketCloseStatus.MessageTooBig, "request too large", ct)
                    .ConfigureAwait(false);
                return false;
            }

            if (received.EndOfMessage)
            {
                return true;
            }
        }
    }

    private static async Task CloseAsync(
        WebSocket socket, WebSocketCloseStatus status, string why, CancellationToken ct)
    {
        if (socket.State is WebSocketState.Open or WebSocketState.CloseReceived)
        {
            await socket.CloseOutputAsync(status, why, ct).ConfigureAwait(false);
        }
    }
}
