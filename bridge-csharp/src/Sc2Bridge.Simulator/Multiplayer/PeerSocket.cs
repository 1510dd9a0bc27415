using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;

namespace Sc2Bridge.Simulator.Multiplayer;

/// <summary>Connects one end of a game of two processes to the other, and moves their bytes.</summary>
/// <param name="link">The end; what touches it runs inside <paramref name="game"/>.</param>
/// <param name="game">Runs something with exclusive access to the game, and wakes what waits for it.</param>
/// <param name="patience">How long the other end may take to come.</param>
internal sealed class PeerSocket(PeerLink link, Action<System.Action> game, TimeSpan patience)
{
    private static readonly TimeSpan TryAgain = TimeSpan.FromMilliseconds(50);
    private readonly Channel<byte[]> _outgoing = Channel.CreateUnbounded<byte[]>();

    /// <summary>The end that this serves.</summary>
    public PeerLink Link => link;

    /// <summary>Takes what is to be sent; called inside the game.</summary>
    public void Flush()
    {
        foreach (var message in link.TakeOutgoing())
        {
            _outgoing.Writer.TryWrite(message);
        }
    }

    /// <summary>No more will be sent: the connection ends when all is.</summary>
    public void Finish() => _outgoing.Writer.TryComplete();

    /// <summary>Serves the end until its connection ends.</summary>
    public async Task RunAsync(CancellationToken ct)
    {
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(patience);
        var reason = "nobody came";
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

    // One that vanishes without a word is noticed after half a minute.
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
                // The host may not listen yet: clients join in any order.
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

    // Once both play, the other end may think as long as it likes.
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
            // It vanished instead of leaving: the same to us.
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
            // It takes nothing: the receiving side ends as if it had left.
            socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception error) when (error is SocketException or OperationCanceledException or ObjectDisposedException)
        {
            // The receiving side says so.
        }
    }
}
