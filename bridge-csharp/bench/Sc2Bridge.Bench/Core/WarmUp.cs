using System.Diagnostics;

namespace Sc2Bridge.Bench;

/// <summary>Runs what will be measured until the runtime has compiled it for speed.</summary>
internal static class WarmUp
{
    // .NET compiles in tiers, in the background and after a pause: what counts is time more than calls.
    private static readonly TimeSpan Least = TimeSpan.FromSeconds(1);

    /// <summary>Runs it again and again, for a second.</summary>
    /// <param name="operation">Given how often it ran.</param>
    public static void Run(Action<int> operation)
    {
        var started = Stopwatch.GetTimestamp();
        for (var turn = 0; Stopwatch.GetElapsedTime(started) < Least; turn++)
        {
            operation(turn);
        }
    }
}
