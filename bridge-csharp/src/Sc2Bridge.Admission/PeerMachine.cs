using System.Net.Sockets;

namespace Sc2Bridge.Admission;

/// <summary>
/// Whether the machine at the other end still acknowledges. Linux's TCP_USER_TIMEOUT would not do: it also ends the
/// connection of a program that does not read for so long, though its machine answers every probe of the closed window.
/// </summary>
internal static class PeerMachine
{
    private const int KeepAliveProbes = 4;

    // A window that stays closed is probed every two minutes in the end (TCP_RTO_MAX).
    private static readonly TimeSpan _longestProbe = TimeSpan.FromSeconds(150);

    /// <summary>Has the system probe a connection that is silent: where all was acknowledged, it alone asks.</summary>
    public static void KeepAlive(Socket socket, TimeSpan silence)
    {
        try
        {
            var second = Math.Max(1, (int)silence.TotalSeconds);
            socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
            socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, Math.Max(1, second / 2));
            socket.SetSocketOption(
                SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, Math.Max(1, second / 2 / KeepAliveProbes));
            socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveRetryCount, KeepAliveProbes);
        }
        catch (Exception closed) when (closed is SocketException or ObjectDisposedException)
        {
            // The next read says so.
        }
    }

    /// <summary>Whether something was sent, or waits to be, and nothing was acknowledged for so long.</summary>
    public static bool IsGone(Socket socket, TimeSpan silence)
    {
        try
        {
            return TcpInfo.Of(socket) is { } info && IsGone(info, silence);
        }
        catch (Exception closed) when (closed is SocketException or ObjectDisposedException)
        {
            return false;
        }
    }

    /// <summary>The same of Linux's figures.</summary>
    internal static bool IsGone(TcpInfo info, TimeSpan silence) =>
        info.Unacknowledged > 0 ? info.SinceAcknowledgement > silence
        : info.NotSent > 0 && info.SinceAcknowledgement > (silence > _longestProbe ? silence : _longestProbe);
}
