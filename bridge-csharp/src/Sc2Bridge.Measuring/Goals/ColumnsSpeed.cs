using System.Diagnostics;
using Sc2Bridge.Encoding.Columns;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Measuring.Goals;

/// <summary>Writes observations as columns, from the wire.</summary>
public static class ColumnsSpeed
{
    private const int WarmUps = 200;

    /// <summary>Times it, again and again over all steps.</summary>
    /// <param name="steps">They are kept.</param>
    /// <param name="rounds">How often.</param>
    /// <returns>Milliseconds an observation, 25 % trimmed mean.</returns>
    public static double WriteMs(IReadOnlyList<MatchStep> steps, int rounds)
    {
        ArgumentNullException.ThrowIfNull(steps);
        for (var turn = 0; turn < WarmUps; turn++)
        {
            ColumnsWriter.Write(steps[turn % steps.Count].Observation).Release();
        }

        var times = new Samples();
        for (var round = 0; round < rounds; round++)
        {
            foreach (var step in steps)
            {
                var started = Stopwatch.GetTimestamp();
                ColumnsWriter.Write(step.Observation).Release();
                times.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
            }
        }

        return times.TrimmedMean();
    }

    /// <summary>Each observation, and after it the same as columns, as the Python half reads them.</summary>
    public static IEnumerable<byte[]> WithColumns(IEnumerable<MatchStep> steps)
    {
        ArgumentNullException.ThrowIfNull(steps);
        foreach (var step in steps)
        {
            yield return step.Observation;
            var columns = ColumnsWriter.Write(step.Observation);
            yield return columns.Written.ToArray();
            columns.Release();
        }
    }
}
