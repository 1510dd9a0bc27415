namespace Sc2Bridge.Measuring;

/// <summary>What this process keeps in memory.</summary>
public static class ResidentMemory
{
    /// <summary>
    /// Bytes after a full collection: a leak outlives it; what the collector keeps in reserve, more or less by chance,
    /// does not.
    /// </summary>
    public static long Measure()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        return Environment.WorkingSet;
    }
}
