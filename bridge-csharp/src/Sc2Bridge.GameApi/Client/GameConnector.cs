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

    /// <summary>Tries until the game listens: refused and 404 both mean that it still starts.</summary>
    /// <param name="address">Where it will listen.</param>
    /// <param name="patience">How long to try.</param>
    /// <param name="gone">Completes, with what to say, when trying on is in vain.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="GameException">It did not listen in time, or is gone.</exception>
    public static async Task<WebSocket> OpenAsync(
        GameAddress address, TimeSpan patience, Task<string>? gone, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(address);
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(ct);
        deadline.CancelAfter(patience);
        var pause = FirstPause;
        var last = "it accepts connections, but does not answer";
        while (true)
        {
            if (gone is { IsCompleted: true })
            {
                throw new GameException($"{await gone} It never listened: mend what it says.");
            }

            var socket = new ClientWebSocket();
            try
            {
                // The game takes a ping for a request.
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
                last = Reason(socket, failure);
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
                var tried = $"No game could be reached at {address} within {patience.TotalSeconds:0.#} s ({last}).";
                throw new GameException(gone is null
                    ? $"{tried} Is it running, started with -listen and -port {address.Port}, and without another " +
                      "client? It takes one at a time."
                    : $"{tried} It was started and still runs: give it longer with --start-deadline, or start it by " +
                      "itself to see what keeps it.");
            }

            pause = pause * 2 < LongestPause ? pause * 2 : LongestPause;
        }
    }

    private static async Task ConnectAsync(ClientWebSocket socket, Uri address, CancellationToken ct)
    {
        GameStream? stream = null;
        using var handler = new SocketsHttpHandler
        {
            // A proxy from the environment is not for the game.
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

        return socket.HttpStatusCode is HttpStatusCode.NotFound ? "it answers 404, as a game that still starts" : failure.Message;
    }
}
