using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>What this process has used up to a moment.</summary>
/// <param name="Ns">When, on the monotonic clock.</param>
/// <param name="CpuSeconds">Of all processors.</param>
/// <param name="AllocatedBytes">Since it began.</param>
/// <param name="WireBytes">What the peers of its TCP connections have taken; null where that cannot be told.</param>
internal readonly record struct ProcessSample(long Ns, double CpuSeconds, long AllocatedBytes, long? WireBytes)
{
    /// <summary>Takes one.</summary>
    /// <param name="ports">The ports that it listens on.</param>
    public static ProcessSample Take(IReadOnlyCollection<int> ports) => new(
        MonotonicClock.NowNs,
        Environment.CpuUsage.TotalTime.TotalSeconds,
        GC.GetTotalAllocatedBytes(precise: true),
        WireMeter.SentBytes(ports));
}
