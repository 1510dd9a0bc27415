using System.Net.Sockets;

namespace Sc2Bridge.Admission;

/// <summary>
/// Checks whether the machine at the other end still acknowledges data. Linux's TCP_USER_TIMEOUT is not suitable: it also ends
/// the connection of a program that does not read for this timeout, although the program's machine answers every window probe.
/// </summary>
internal static class PeerMachine
{
    private const int KeepAliveProbes = 4;

    // If the peer's receive window is full, the system probes the peer at intervals that grow to two minutes (TCP_RTO_MAX).
    private static readonly TimeSpan _longestProbe = TimeSpan.FromSeconds(150);

    /// <summary>Lets the system probe a silent connection. If all data is acknowledged, only these probes check the other machine.</summary>
    public static void EnableKeepAlive(Socket socket, TimeSpan silenceTimeout)
    {
        try
        {
            var seconds = Math.Max(1, (int)silenceTimeout.TotalSeconds);
            socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
            socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, Math.Max(1, seconds / 2));
            socket.SetSocketOption(
                SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, Math.Max(1, seconds / 2 / KeepAliveProbes));
            socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveRetryCount, KeepAliveProbes);
        }
        catch (Exception closed) when (closed is SocketException or ObjectDisposedException)
        {
            // The next read reports the error.
        }
    }

    /// <summary>Whether data is unacknowledged or waits to be sent, and the other machine has acknowledged nothing during the timeout.</summary>
    public static bool IsGone(Socket socket, TimeSpan silenceTimeout)
    {
        try
        {
            return TcpInfo.Of(socket) is { } info && IsGone(info, silenceTimeout);
        }
        catch (Exception closed) when (closed is SocketException or ObjectDisposedException)
        {
            return false;
        }
    }

    /// <summary>Makes the same check with figures that Linux returned.</summary>
    internal static bool IsGone(TcpInfo info, TimeSpan silenceTimeout) =>
        info.Unacknowledged > 0 ? info.SinceAcknowledgement > silenceTimeout
        : info.NotSent > 0 && info.SinceAcknowledgement > (silenceTimeout > _longestProbe ? silenceTimeout : _longestProbe);
}
