using System.Diagnostics;

namespace Sc2Bridge.Codec.Benchmarks;

/// <summary>What one way to do a thing costs, beside others that were measured in turns with it.</summary>
/// <param name="Way">Its name.</param>
/// <param name="Ms">Milliseconds for one time, of each round's mean.</param>
/// <param name="AllocatedBytes">Bytes that .NET allocated for one time, mean.</param>
internal sealed record WayTimes(string Way, Spread Ms, double AllocatedBytes)
{
    /// <summary>Measures ways in turns, after half as many rounds to warm up.</summary>
    /// <param name="ways">Each with how often a round runs it; it is given the number of the run, from 0.</param>
    /// <param name="rounds">How many rounds count.</param>
    /// <param name="ct">Stops between two rounds.</param>
    public static WayTimes[] InTurns((string Name, int Times, Action<int> Run)[] ways, int rounds, CancellationToken ct)
    {
        var times = ways.Select(_ => new List<double>()).ToArray();
        var allocated = new long[ways.Length];
        for (var round = -rounds / 2; round < rounds; round++)
        {
            ct.ThrowIfCancellationRequested();
            for (var way = 0; way < ways.Length; way++)
            {
                var before = GC.GetAllocatedBytesForCurrentThread();
                var start = Stopwatch.GetTimestamp();
                for (var i = 0; i < ways[way].Times; i++)
                {
                    ways[way].Run(i);
                }

                var elapsed = Stopwatch.GetElapsedTime(start);
                var bytes = GC.GetAllocatedBytesForCurrentThread() - before;
                if (round >= 0)
                {
                    times[way].Add(elapsed.TotalMilliseconds / ways[way].Times);
                    allocated[way] += bytes;
                }
            }
        }

        return [.. ways.Select((way, i) => new WayTimes(
            way.Name, Spread.Of(times[i]), allocated[i] / ((double)rounds * way.Times)))];
    }
}
