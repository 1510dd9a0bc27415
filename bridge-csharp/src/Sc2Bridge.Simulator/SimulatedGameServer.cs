using System.Buffers;
using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Threading.Channels;
using Google.Protobuf;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using SC2APIProtocol;

namespace Sc2Bridge.Simulator;

/// <summary>
/// The simulated game as a server: <c>ws://HOST:PORT/sc2api</c>, binary messages, one Response for each Request in
/// order, one client at a time. It quits when told to, as the real one does.
/// </summary>
public sealed class SimulatedGameServer : IAsyncDisposable
{
    private const int LargestRequest = 64 * 1024 * 1024;
    private const int RequestsAhead = 256;

    // Loops of a step, and ways that are asked for at once, from which on a request takes long.
    private const int LongStep = 100;
    private const int ManyQueries = 100;
    private readonly WebApplication _app;
    private readonly SimulatorOptions _options;
    private readonly GameShell _game;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _stopping = new();
    private int _clients;

    private SimulatedGameServer(WebApplication app, SimulatorOptions options)
    {
        (_app, _options) = (app, options);
        _game = new GameShell(options, crash => _ended.TrySetException(crash));
    }

    /// <summary>The port that it listens on.</summary>
    public int Port { get; private set; }

    /// <summary>
    /// Completes when the game has quit: it was told to, or its client left and it was to follow. Fails with a
    /// <see cref="SimulatedGameException"/> where the game did.
    /// </summary>
    public Task Ended => _ended.Task;

    /// <summary>Starts a game and listens.</summary>
    /// <param name="options">Where, and what it answers.</param>
    /// <param name="ct">Gives up starting.</param>
    /// <exception cref="ArgumentException">The address or the folder of observations cannot be used.</exception>
    /// <exception cref="IOException">The port is taken, or the address is none of this machine's.</exception>
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
        try
        {
            await app.StartAsync(ct).ConfigureAwait(false);
        }
        catch (SocketException error)
        {
            await server.DisposeAsync().ConfigureAwait(false);
            throw new IOException(
                $"-listen {options.Listen} -port {options.Port} cannot be listened on ({error.Message}): give an address "
                    + "of this machine, such as 127.0.0.1, and a port that may be used.",
                error);
        }

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
        catch (SimulatedGameException crash)
        {
            // As when the real one crashes: the connection is cut and the process ends.
            _ended.TrySetException(crash);
            context.Abort();
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
        using var left = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var requests = Channel.CreateBounded<Request>(new BoundedChannelOptions(RequestsAhead)
        {
            SingleReader = true,
            SingleWriter = true,
            AllowSynchronousContinuations = true, // no hop between threads from the wire to the game
        });
        var reading = ReadAsync(socket, requests.Writer, left);
        try
        {
            if (!await AnswerAsync(socket, requests.Reader, ct, left.Token).ConfigureAwait(false))
            {
                return;
            }

            var (status, why) = await reading.ConfigureAwait(false);
            if (socket.State is WebSocketState.Open or WebSocketState.CloseReceived)
            {
                await socket.CloseOutputAsync(status, why, ct).ConfigureAwait(false);
            }
        }
        finally
        {
            await left.CancelAsync().ConfigureAwait(false);
            await ((Task)reading).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>
    /// Reads requests, also while the game waits for a loop or plays many: so a client that leaves then is noticed.
    /// </summary>
    /// <returns>Why there are no more: with what the connection is to be closed.</returns>
    private static async Task<(WebSocketCloseStatus Status, string Why)> ReadAsync(
        WebSocket socket, ChannelWriter<Request> requests, CancellationTokenSource left)
    {
        var input = new ArrayBufferWriter<byte>();
        try
        {
            while (true)
            {
                input.ResetWrittenCount();
                ValueWebSocketReceiveResult received;
                do
                {
                    received = await socket.ReceiveAsync(input.GetMemory(4096), left.Token).ConfigureAwait(false);
                    if (received.MessageType == WebSocketMessageType.Close)
                    {
                        await left.CancelAsync().ConfigureAwait(false);
                        return (WebSocketCloseStatus.NormalClosure, "");
                    }

                    if (received.MessageType == WebSocketMessageType.Text)
                    {
                        return (WebSocketCloseStatus.InvalidMessageType, "the API's messages are binary");
                    }

                    input.Advance(received.Count);
                    if (input.WrittenCount > LargestRequest)
                    {
                        return (WebSocketCloseStatus.MessageTooBig, "request too large");
                    }
                }
                while (!received.EndOfMessage);

                var request = Request.Parser.ParseFrom(input.WrittenSpan);
                await requests.WriteAsync(request, left.Token).ConfigureAwait(false);
                if (request.RequestCase == Request.RequestOneofCase.Quit)
                {
                    return (WebSocketCloseStatus.NormalClosure, "quit");
                }
            }
        }
        catch (InvalidProtocolBufferException)
        {
            return (WebSocketCloseStatus.InvalidPayloadData, "not a Request");
        }
        catch
        {
            await left.CancelAsync().ConfigureAwait(false);
            throw;
        }
        finally
        {
            requests.TryComplete();
        }
    }

    /// <returns>False where a debug command ended the game, which says no more then.</returns>
    /// <exception cref="SimulatedGameException">The game failed.</exception>
    private async Task<bool> AnswerAsync(
        WebSocket socket, ChannelReader<Request> requests, CancellationToken ct, CancellationToken left)
    {
        var output = new ArrayBufferWriter<byte>();
        while (!left.IsCancellationRequested && await requests.WaitToReadAsync(ct).ConfigureAwait(false))
        {
            while (!left.IsCancellationRequested && requests.TryRead(out var request))
            {
                if (TakesLong(request))
                {
                    await Task.Yield();
                }

                output.ResetWrittenCount();
                if (!await _game.AnswerAsync(request, output, left).ConfigureAwait(false))
                {
                    return true;
                }

                if (_game.ProcessTest is { } test)
                {
                    await FailAsync(test, left).ConfigureAwait(false);
                    return false;
                }

                await socket.SendAsync(
                    output.WrittenMemory, WebSocketMessageType.Binary, true, ct).ConfigureAwait(false);
                if (_game.Status == Status.Quit)
                {
                    return true;
                }
            }
        }

        return true;
    }

    // What is answered while the connection is read on another thread, so that a client that leaves is noticed.
    private static bool TakesLong(Request request) => request.Step is { Count: > LongStep }
        || request.QuickLoad is not null
        || (request.Query is { } query
            && query.Pathing.Count + query.Abilities.Count + query.Placements.Count > ManyQueries);

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
}
