using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// An agent's times of a step, in microseconds; null where it reported none, or one that cannot be: below zero, or longer
/// than the frame has been there.
/// </summary>
/// <param name="Delivered">From the game's answer to the agent holding the message; null also where the agent's clock is
/// not known to agree with the bridge's, or the step is too long ago to be known.</param>
/// <param name="Decode">Reading it.</param>
/// <param name="Think">Until it was done with it.</param>
internal readonly record struct CheckedTimes(double? Delivered, double? Decode, double? Think)
{
    // A clock echo that took longer gives no useful estimate.
    private const long LongestRoundTripNs = 2_000_000_000;

    /// <summary>Those of a report.</summary>
    /// <param name="report">As it came.</param>
    /// <param name="perspectives">Know when each step was observed.</param>
    public static CheckedTimes Of(in TimesReport report, PublishedPerspectives perspectives)
    {
        var times = report.Times;
        var arrived = perspectives.ObservedNs(report.Perspective, times.Step);
        var longest = arrived is { } since ? report.ReportedNs - since : long.MaxValue;
        return new CheckedTimes(
            times.HasReceivedNs && arrived is { } start && Slack(times.Clock) is { } slack
                ? Within(-slack, times.ReceivedNs, start, longest + slack)
                : null,
            times.HasDecodeNs ? Within(0, times.DecodeNs, 0, longest) : null,
            times.HasThinkNs ? Within(0, times.ThinkNs, 0, longest) : null);
    }

    // The largest error of a time on the bridge's clock; null where its clock is unknown.
    private static long? Slack(ClockSource clock) => clock switch
    {
        ClockSource.Shared => 0,
        ClockSource.Estimated => LongestRoundTripNs / 2,
        _ => null,
    };

    // Microseconds; null where the time is impossible: negative, or longer than since the frame was observed.
    private static double? Within(long least, long endNs, long startNs, long mostNs)
    {
        var taken = (Int128)endNs - startNs;
        return taken >= least && taken <= mostNs ? (double)taken / 1000.0 : null;
    }
}
