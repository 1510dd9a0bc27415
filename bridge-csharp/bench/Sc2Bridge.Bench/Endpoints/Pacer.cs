using System.Diagnostics;

namespace Sc2Bridge.Bench;

/// <summary>Does something at a steady rate, without running after what was late.</summary>
internal static class Pacer
{
    /// <summary>Calls <paramref name="step"/> <paramref name="count"/> times.</summary>
    public static async Task RunAsync(
        int count, double rate, Func<ValueTask> step, CancellationToken ct)
    {
        var next = Stopwatch.GetTimestamp();
        var period = rate > 0 ? (long)(Stopwatch.Frequency / rate) : 0;
        for (var done = 0; done < count; done++)
        {
            if (period > 0)
            {
                var now = Stopwatch.GetTimestamp();
                next = Math.Max(next + period, now);
                await Task.Delay(Stopwatch.GetElapsedTime(now, next), ct);

                // While the game would make the observation: no server meets a processor that is more awake.
                await Task.Delay(1, ct);
            }

            await step();
        }
    }
}
