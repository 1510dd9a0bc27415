using System.Net.Sockets;

namespace Sc2Bridge.Admission;

/// <summary>Linux's figures of a TCP connection: <c>struct tcp_info</c> of linux/tcp.h, since Linux 4.9.</summary>
/// <param name="Unacknowledged">Segments that were sent and not acknowledged.</param>
/// <param name="SinceAcknowledgement">How long ago the last acknowledgement came.</param>
/// <param name="NotSent">Bytes that wait to be sent.</param>
/// <param name="Acknowledged">Bytes that the peer's system has acknowledged, since the connection began.</param>
/// <param name="MaximumSegment">The most bytes in a segment.</param>
/// <param name="LeastRoundTripUs">The shortest round trip, in microseconds; 0 if none was measured yet.</param>
/// <param name="BytesPerSecond">The recent delivery rate.</param>
public readonly record struct TcpInfo(
    uint Unacknowledged,
    TimeSpan SinceAcknowledgement,
    uint NotSent,
    long Acknowledged,
    uint MaximumSegment,
    uint LeastRoundTripUs,
    long BytesPerSecond)
{
    private const int Tcp = 6;
    private const int Option = 11;

    // 8 bytes of flags, 24 numbers of 4 bytes (rto, ato, snd_mss, rcv_mss, unacked …), pacing_rate, max_pacing_rate,
    // bytes_acked, bytes_received, segs_out, segs_in, notsent_bytes, min_rtt, data_segs_in, data_segs_out, delivery_rate.
    private const int MaximumSegmentAt = 8 + (2 * sizeof(int));
    private const int UnacknowledgedAt = 8 + (4 * sizeof(int));
    private const int LastAcknowledgementAt = 8 + (12 * sizeof(int));
    private const int AcknowledgedAt = 8 + (24 * sizeof(int)) + (2 * sizeof(long));
    private const int NotSentAt = AcknowledgedAt + (2 * sizeof(long)) + (2 * sizeof(int));
    private const int LeastRoundTripAt = NotSentAt + sizeof(int);
    private const int RateAt = LeastRoundTripAt + (3 * sizeof(int));

    /// <summary>How many bytes of the structure are read.</summary>
    internal const int Length = RateAt + sizeof(long);

    /// <summary>Reads the figures of a connection; returns null on systems other than Linux.</summary>
    /// <param name="socket">A TCP socket.</param>
    /// <exception cref="SocketException">The socket is closed.</exception>
    /// <exception cref="ObjectDisposedException">The socket is closed.</exception>
    public static TcpInfo? Of(Socket socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        Span<byte> info = stackalloc byte[Length];
        return OperatingSystem.IsLinux() && socket.GetRawSocketOption(Tcp, Option, info) == Length ? Read(info) : null;
    }

    /// <summary>Parses the structure.</summary>
    /// <param name="info">At least <see cref="Length"/> bytes.</param>
    internal static TcpInfo Read(ReadOnlySpan<byte> info)
    {
        // The kernel reports ~0 if no round trip was measured yet.
        var roundTrip = BitConverter.ToUInt32(info[LeastRoundTripAt..]);
        return new(
            BitConverter.ToUInt32(info[UnacknowledgedAt..]),
            TimeSpan.FromMilliseconds(BitConverter.ToUInt32(info[LastAcknowledgementAt..])),
            BitConverter.ToUInt32(info[NotSentAt..]),
            BitConverter.ToInt64(info[AcknowledgedAt..]),
            BitConverter.ToUInt32(info[MaximumSegmentAt..]),
            roundTrip == uint.MaxValue ? 0 : roundTrip,
            (long)Math.Min(BitConverter.ToUInt64(info[RateAt..]), long.MaxValue));
    }
}
