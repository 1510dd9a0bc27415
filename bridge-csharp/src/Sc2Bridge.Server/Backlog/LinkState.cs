using System.Buffers.Binary;

namespace Sc2Bridge.Server;

/// <summary>The system's figures of a connection at one moment.</summary>
/// <param name="Arrived">Bytes that the peer's system has acknowledged, since the connection began.</param>
/// <param name="Slack">
/// Bytes that may be in flight while the next ones are handed over: what the link needs so as not to stand idle.
/// </param>
/// <param name="BytesPerSecond">The link's recent rate; 0 where that is not known.</param>
internal readonly record struct LinkState(long Arrived, long Slack, long BytesPerSecond)
{
    /// <summary>How many bytes of Linux's <c>struct tcp_info</c> are read.</summary>
    public const int TcpInfoLength = DeliveryRateAt + sizeof(long);

    // linux/tcp.h: 8 bytes of flags, 24 numbers of 4 bytes (rto, ato, snd_mss …), pacing_rate, max_pacing_rate,
    // bytes_acked, bytes_received, segs_out, segs_in, notsent_bytes, min_rtt, data_segs_in, data_segs_out, delivery_rate.
    private const int MaximumSegmentAt = 8 + (2 * sizeof(int));
    private const int AckedAt = 8 + (24 * sizeof(int)) + (2 * sizeof(long));
    private const int LeastRoundTripAt = AckedAt + (2 * sizeof(long)) + (3 * sizeof(int));
    private const int DeliveryRateAt = LeastRoundTripAt + (3 * sizeof(int));

    // A receiver that waits for a second segment before it acknowledges (RFC 9293, 3.8.6.3) does so for up to 40 ms.
    private const int UnacknowledgedSegments = 2;

    private const long MicrosecondsPerSecond = 1_000_000;
    private static readonly TimeSpan LeastWait = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan LongestWait = TimeSpan.FromMilliseconds(50);

    /// <summary>
    /// Reads Linux's <c>struct tcp_info</c>. Slack is the bandwidth-delay product, least round trip times rate: it
    /// keeps a long link busy without filling a slow one, or a buffer before it.
    /// </summary>
    /// <param name="info">At least <see cref="TcpInfoLength"/> bytes.</param>
    public static LinkState OfTcp(ReadOnlySpan<byte> info)
    {
        var segment = BitConverter.ToUInt32(info[MaximumSegmentAt..]);
        var roundTripUs = BitConverter.ToUInt32(info[LeastRoundTripAt..]);
        var rate = (long)Math.Min(BitConverter.ToUInt64(info[DeliveryRateAt..]), long.MaxValue);

        // The kernel has ~0 where no round trip was measured yet.
        var capacity = roundTripUs == uint.MaxValue ? 0 : (Int128)rate * roundTripUs / MicrosecondsPerSecond;
        return new LinkState(
            BitConverter.ToInt64(info[AckedAt..]),
            (long)Int128.Min(capacity, int.MaxValue) + (UnacknowledgedSegments * (long)segment),
            rate);
    }

    /// <summary>How long to wait until bytes have left; null where they have.</summary>
    /// <param name="sent">Counted from the connection's beginning: where the last of them stands.</param>
    public TimeSpan? WaitFor(long sent)
    {
        var queued = sent - Arrived - Slack;
        if (queued <= 0)
        {
            return null;
        }

        // A peer that has stopped reading keeps its last rate: check again soon.
        var seconds = BytesPerSecond > 0 ? queued / (double)BytesPerSecond : 0;
        return TimeSpan.FromSeconds(Math.Clamp(seconds, LeastWait.TotalSeconds, LongestWait.TotalSeconds));
    }
}
