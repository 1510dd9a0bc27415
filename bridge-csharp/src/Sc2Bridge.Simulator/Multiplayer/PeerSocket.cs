using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;

namespace Sc2Bridge.Simulator.Multiplayer;

/// <summary>Connects the two ends of a game of two processes, and moves their bytes.</summary>
/// <param name="link">This end. It is used only inside <paramref name="game"/>.</param>
/// <param name="game">Runs an action with exclusive access to the game, and wakes requests that wait for a change.</param>
/// <param name="patience">The time limit for the other end to connect.</param>
internal sealed class PeerSocket(PeerLink link, Action<System.Action> game, TimeSpan patience)
{
    private static readonly TimeSpan TryAgain = TimeSpan.FromMilliseconds(50);
    private readonly Channel<byte[]> _outgoing = Channel.CreateUnbounded<byte[]>();

    /// <summary>The end that this socket serves.</summary>
    public PeerLink Link => link;

    /// <summary>Queues the link's messages for sending. Called with exclusive access to the game.</summary>
    public void Flush()
    {
        foreach (var message in link.DrainOutgoing())
        {
            _outgoing.Writer.TryWrite(message);
        }
    }

    /// <summary>Ends the connection after all queued messages are sent.</summary>
    public void Finish() => _outgoing.Writer.TryComplete();

    /// <summary>Serves the link until the connection ends.</summary>
    public async Task RunAsync(CancellationToken ct)
    {
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(patience);
        var reason = "the other client did not join in time";
        try
        {
            using var socket = await ConnectAsync(late.Token).ConfigureAwait(false);
            reason = "it did not agree on the match in time";
            socket.NoDelay = true;
            KeepAlive(socket);
            game(link.Connected);
            var sending = SendAsync(socket, ct);
            await ReceiveAsync(socket, late).ConfigureAwait(false);
            game(() => link.Lost("The other game has left."));
            Finish();
            await sending.ConfigureAwait(false);
        }
        catch (Exception error) when (error is SocketException or OperationCanceledException or IOException)
        {
            reason = error is OperationCanceledException ? reason : error.Message;
            game(() => link.Lost($"No connection to the other game at {link.Address}:{link.Port}: {reason}."));
            Finish();
        }
    }

    // Keep-alive detects a peer that disappears silently, after half a minute.
    private static void KeepAlive(Socket socket)
    {
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, 15);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, 5);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveRetryCount, 3);
    }

    private async Task<Socket> ConnectAsync(CancellationToken ct)
    {
        var address = IPAddress.TryParse(link.Address, out var parsed)
            ? parsed
            : (await Dns.GetHostAddressesAsync(link.Address, ct).ConfigureAwait(false))[0];
        var place = new IPEndPoint(address, link.Port);
        if (link.Hosts)
        {
            using var listener = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            listener.Bind(place);
            listener.Listen(1);
            return await listener.AcceptAsync(ct).ConfigureAwait(false);
        }

        while (true)
        {
            var socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            try
            {
                await socket.ConnectAsync(place, ct).ConfigureAwait(false);
                return socket;
            }
            catch (SocketException)
            {
                // The host may not be listening yet, because clients join in any order.
                socket.Dispose();
                await Task.Delay(TryAgain, ct).ConfigureAwait(false);
            }
            catch
            {
                socket.Dispose();
                throw;
            }
        }
    }

    // During the match, there is no time limit for the other end.
    private async Task ReceiveAsync(Socket socket, CancellationTokenSource late)
    {
        var buffer = new byte[16 * 1024];
        try
        {
            while (await socket.ReceiveAsync(buffer, late.Token).ConfigureAwait(false) is > 0 and var count)
            {
                game(() =>
                {
                    link.Received(buffer.AsSpan(0, count));
                    if (link.Playing)
                    {
                        late.CancelAfter(Timeout.InfiniteTimeSpan);
                    }
                });
            }
        }
        catch (SocketException)
        {
            // A broken connection counts as leaving.
        }
    }

    private async Task SendAsync(Socket socket, CancellationToken ct)
    {
        using var stuck = CancellationTokenSource.CreateLinkedTokenSource(ct);
        try
        {
            await foreach (var message in _outgoing.Reader.ReadAllAsync(ct).ConfigureAwait(false))
            {
                stuck.CancelAfter(patience);
                for (var sent = 0; sent < message.Length;)
                {
                    sent += await socket.SendAsync(message.AsMemory(sent), stuck.Token).ConfigureAwait(false);
                }

                stuck.CancelAfter(Timeout.InfiniteTimeSpan);
            }

            socket.Shutdown(SocketShutdown.Send);
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            // The peer receives nothing. The receiving side then ends as if the peer had left.
            socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception error) when (error is SocketException or OperationCanceledException or ObjectDisposedException)
        {
            // The receiving side reports the reason.
        }
    }
}
