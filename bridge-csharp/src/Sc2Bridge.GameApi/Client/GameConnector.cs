using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi;

/// <summary>Opens the WebSocket to a game, which may still be starting.</summary>
public static class GameConnector
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMilliseconds(500);

    /// <summary>Tries to connect until the game listens. A refused connection and HTTP status 404 both mean that the game still starts.</summary>
    /// <param name="address">The game's address.</param>
    /// <param name="patience">How long to try.</param>
    /// <param name="gone">A task that completes when the game has ended; null if the game's process is not watched.</param>
    /// <param name="ct">Cancels the attempts.</param>
    /// <exception cref="GameException">The game did not listen in time, or has ended.</exception>
    public static async Task<WebSocket> OpenAsync(
        GameAddress address, TimeSpan patience, Task<GameExit>? gone, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(address);
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(ct);
        deadline.CancelAfter(patience);
        var pause = FirstPause;
        var lastReason = "it accepts connections, but does not answer";
        while (true)
        {
            if (gone is { IsCompleted: true })
            {
                var (code, text) = await gone;
                throw new GameException($"{text} It never listened: fix the problem that it reports.") { ExitCode = code };
            }

            var socket = new ClientWebSocket();
            try
            {
                // The game treats a ping as a request.
                socket.Options.KeepAliveInterval = Timeout.InfiniteTimeSpan;
                using var attempt = CancellationTokenSource.CreateLinkedTokenSource(deadline.Token);
                var connecting = ConnectAsync(socket, address.Api, attempt.Token);
                if (gone is not null && await Task.WhenAny(connecting, gone) == gone)
                {
                    // Another program may have accepted the connection, and may never answer.
                    await attempt.CancelAsync();
                }

                await connecting;
                return socket;
            }
            catch (WebSocketException failure)
            {
                socket.Dispose();
                lastReason = Reason(socket, failure);
            }
            catch (OperationCanceledException)
            {
                socket.Dispose();
            }

            try
            {
                var delay = Task.Delay(pause, deadline.Token);
                await (gone is null ? delay : await Task.WhenAny(delay, gone));
            }
            catch (OperationCanceledException)
            {
                ct.ThrowIfCancellationRequested();
                var tried = $"No game could be reached at {address} within {patience.TotalSeconds:0.#} s ({lastReason}).";
                throw new GameException(gone is null
                    ? $"{tried} Does the game run, was it started with -listen and -port {address.Port}, and has it no " +
                      "other client? A game serves one client at a time."
                    : $"{tried} The game was started and still runs: allow more time with --start-deadline, or start it by " +
                      "hand to see the cause.")
                {
                    Fault = gone is null ? GameFault.Other : GameFault.Hung,
                };
            }

            pause = pause * 2 < LongestPause ? pause * 2 : LongestPause;
        }
    }

    private static async Task ConnectAsync(ClientWebSocket socket, Uri address, CancellationToken ct)
    {
        GameStream? stream = null;
        using var handler = new SocketsHttpHandler
        {
            // The connection to the game must not use a proxy from the environment.
            UseProxy = false,
            ConnectCallback = async (connection, giveUp) =>
            {
                var tcp = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
                try
                {
                    await tcp.ConnectAsync(connection.DnsEndPoint, giveUp);
                }
                catch
                {
                    tcp.Dispose();
                    throw;
                }

                return stream = new GameStream(tcp);
            },
        };
        using var invoker = new HttpMessageInvoker(handler);
        await socket.ConnectAsync(address, invoker, ct);
        stream!.BlockReads();
    }

    private static string Reason(ClientWebSocket socket, Exception failure)
    {
        for (Exception? inner = failure; inner is not null; inner = inner.InnerException)
        {
            if (inner is SocketException { SocketErrorCode: SocketError.ConnectionRefused })
            {
                return "connection refused";
            }

            if (inner is SocketException socketError)
            {
                return socketError.Message;
            }
        }

        return socket.HttpStatusCode is HttpStatusCode.NotFound ? "it answers 404, like a game that still starts" : failure.Message;
    }
}
