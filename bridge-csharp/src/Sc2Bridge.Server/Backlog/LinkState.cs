using Sc2Bridge.Admission;

namespace Sc2Bridge.Server;

/// <summary>The operating system's figures of a connection at one moment.</summary>
/// <param name="AcknowledgedBytes">Bytes that the peer's system has acknowledged since the connection started.</param>
/// <param name="AllowedInFlight">Bytes that may still be in flight when the next bytes are written. A lower limit would leave the link idle at times.</param>
/// <param name="BytesPerSecond">The link's recent throughput; 0 if unknown.</param>
internal readonly record struct LinkState(long AcknowledgedBytes, long AllowedInFlight, long BytesPerSecond)
{
    // A receiver may delay its acknowledgement until a second segment arrives (RFC 9293, 3.8.6.3), by up to 40 ms.
    private const int UnacknowledgedSegments = 2;

    private const long MicrosecondsPerSecond = 1_000_000;
    // After this many checks without progress, at least a millisecond apart, the peer counts as not reading.
    private const int ChecksUntilStopped = 1000;
    private static readonly TimeSpan LeastWait = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan LongestWait = TimeSpan.FromMilliseconds(50);

    /// <summary>
    /// Computes the state of a TCP connection. The bandwidth-delay product (lowest round-trip time × throughput) and
    /// two segments may be in flight. This amount keeps a long link busy without filling the buffers of a slow link.
    /// </summary>
    public static LinkState Of(TcpInfo info)
    {
        var capacity = (Int128)info.BytesPerSecond * info.LeastRoundTripUs / MicrosecondsPerSecond;
        return new LinkState(
            info.Acknowledged,
            (long)Int128.Min(capacity, int.MaxValue) + (UnacknowledgedSegments * (long)info.MaximumSegment),
            info.BytesPerSecond);
    }

    /// <summary>How long to wait until bytes have left this machine; null if they have left.</summary>
    /// <param name="endPosition">The position after the last of these bytes, counted from the start of the connection.</param>
    /// <param name="idleChecks">The number of checks since the last progress.</param>
    public TimeSpan? WaitFor(long endPosition, int idleChecks = 0)
    {
        var queued = endPosition - AcknowledgedBytes - AllowedInFlight;
        if (queued <= 0)
        {
            return null;
        }

        // If the peer does not read, the system still reports the last throughput, which is not a useful estimate.
        if (idleChecks > ChecksUntilStopped)
        {
            return LongestWait;
        }

        var seconds = BytesPerSecond > 0 ? queued / (double)BytesPerSecond : 0;
        return TimeSpan.FromSeconds(Math.Clamp(seconds, LeastWait.TotalSeconds, LongestWait.TotalSeconds));
    }
}
