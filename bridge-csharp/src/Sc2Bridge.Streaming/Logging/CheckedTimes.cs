using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// An agent's times of a step, in microseconds. Null if the agent did not report the time, or if the time is impossible:
/// negative, or longer than the time since the frame was observed.
/// </summary>
/// <param name="Delivered">
/// The time from the game's answer until the agent has the message. This time is also null if the relation of the agent's clock
/// to the bridge's clock is unknown, or if the step is so old that the bridge has forgotten when it was observed.
/// </param>
/// <param name="Decode">How long the agent took to parse the message.</param>
/// <param name="Think">How long the agent's own work on the step took.</param>
internal readonly record struct CheckedTimes(double? Delivered, double? Decode, double? Think)
{
    // The longest useful round trip of a clock measurement. After a longer round trip, the estimate of the agent's clock is too inexact.
    private const long LongestRoundTripNs = 2_000_000_000;

    /// <summary>Checks the times of a report.</summary>
    /// <param name="report">The report.</param>
    /// <param name="perspectives">Knows when each step was observed.</param>
    public static CheckedTimes Of(in TimesReport report, PublishedPerspectives perspectives)
    {
        var times = report.Times;
        var arrived = perspectives.ObservedNs(report.Perspective, times.Step);
        var longest = arrived is { } since ? report.ReportedNs - since : long.MaxValue;
        return new CheckedTimes(
            times.HasReceivedNs && arrived is { } start && LargestClockError(times.Clock) is { } error
                ? ElapsedIfPossible(-error, times.ReceivedNs, start, longest + error)
                : null,
            times.HasDecodeNs ? ElapsedIfPossible(0, times.DecodeNs, 0, longest) : null,
            times.HasThinkNs ? ElapsedIfPossible(0, times.ThinkNs, 0, longest) : null);
    }

    // The largest error of an agent's time stamp on the bridge's clock; null if the agent's clock is unknown.
    private static long? LargestClockError(ClockSource clock) => clock switch
    {
        ClockSource.Shared => 0,
        ClockSource.Estimated => LongestRoundTripNs / 2,
        _ => null,
    };

    // Returns microseconds, or null if the time is impossible: negative, or longer than the time since the frame was observed.
    private static double? ElapsedIfPossible(long leastNs, long endNs, long startNs, long mostNs)
    {
        var taken = (Int128)endNs - startNs;
        return taken >= leastNs && taken <= mostNs ? (double)taken / 1000.0 : null;
    }
}
