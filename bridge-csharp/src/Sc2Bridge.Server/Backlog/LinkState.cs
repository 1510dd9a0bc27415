using Sc2Bridge.Admission;

namespace Sc2Bridge.Server;

/// <summary>The system's figures of a connection at one moment.</summary>
/// <param name="Arrived">Bytes that the peer's system has acknowledged, since the connection began.</param>
/// <param name="Slack">
/// Bytes that may be in flight while the next ones are handed over: what the link needs so as not to stand idle.
/// </param>
/// <param name="BytesPerSecond">The link's recent rate; 0 where that is not known.</param>
internal readonly record struct LinkState(long Arrived, long Slack, long BytesPerSecond)
{
    // A receiver that waits for a second segment before it acknowledges (RFC 9293, 3.8.6.3) does so for up to 40 ms.
    private const int UnacknowledgedSegments = 2;

    private const long MicrosecondsPerSecond = 1_000_000;
    // Looks without an arrival, each after a millisecond at least: the peer has stopped reading.
    private const int LooksUntilStopped = 1000;
    private static readonly TimeSpan LeastWait = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan LongestWait = TimeSpan.FromMilliseconds(50);

    /// <summary>
    /// That of a TCP connection. Slack is the bandwidth-delay product, least round trip times rate: it keeps a long link
    /// busy without filling a slow one, or a buffer before it.
    /// </summary>
    public static LinkState Of(TcpInfo info)
    {
        var capacity = (Int128)info.BytesPerSecond * info.LeastRoundTripUs / MicrosecondsPerSecond;
        return new LinkState(
            info.Acknowledged,
            (long)Int128.Min(capacity, int.MaxValue) + (UnacknowledgedSegments * (long)info.MaximumSegment),
            info.BytesPerSecond);
    }

    /// <summary>How long to wait until bytes have left; null where they have.</summary>
    /// <param name="sent">Counted from the connection's beginning: where the last of them stands.</param>
    /// <param name="looks">How often the state was looked at since bytes arrived last.</param>
    public TimeSpan? WaitFor(long sent, int looks = 0)
    {
        var queued = sent - Arrived - Slack;
        if (queued <= 0)
        {
            return null;
        }

        // A peer that has stopped reading keeps its last rate.
        if (looks > LooksUntilStopped)
        {
            return LongestWait;
        }

        var seconds = BytesPerSecond > 0 ? queued / (double)BytesPerSecond : 0;
        return TimeSpan.FromSeconds(Math.Clamp(seconds, LeastWait.TotalSeconds, LongestWait.TotalSeconds));
    }
}
