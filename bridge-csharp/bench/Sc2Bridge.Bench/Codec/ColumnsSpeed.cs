using System.Diagnostics;
using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Bench;

/// <summary>Writes observations as columns, from the wire.</summary>
internal static class ColumnsSpeed
{
    /// <summary>Times it, again and again over all observations.</summary>
    /// <param name="observations">They are kept.</param>
    /// <param name="rounds">How often.</param>
    /// <returns>Milliseconds an observation, 25 % trimmed mean.</returns>
    public static double WriteMs(IReadOnlyList<byte[]> observations, int rounds)
    {
        WarmUp.Run(turn => ColumnsWriter.Write(observations[turn % observations.Count]).Release());
        var times = new Samples();
        for (var round = 0; round < rounds; round++)
        {
            foreach (var observation in observations)
            {
                var started = Stopwatch.GetTimestamp();
                ColumnsWriter.Write(observation).Release();
                times.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
            }
        }

        return times.TrimmedMean();
    }

    /// <summary>Each observation, and after it the same as columns, as the Python half reads them.</summary>
    public static IEnumerable<byte[]> WithColumns(IEnumerable<byte[]> observations)
    {
        foreach (var observation in observations)
        {
            yield return observation;
            var columns = ColumnsWriter.Write(observation);
            yield return columns.Written.ToArray();
            columns.Release();
        }
    }
}
