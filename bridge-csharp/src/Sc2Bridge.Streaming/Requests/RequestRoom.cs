namespace Sc2Bridge.Streaming;

/// <summary>
/// Bounds and charges the memory of all clients' requests, from their arrival until their answers are written. Clients that may only
/// watch have half of it, and never use up the other half. Thread-safe.
/// </summary>
/// <param name="memory">Charged.</param>
public sealed class RequestRoom(MemoryLedger memory)
{
    private const int PartOfCeiling = 8;

    private readonly long _most = memory.Ceiling / PartOfCeiling;
    private long _ofWatchers;

    /// <summary>Whether as much is held as may be.</summary>
    /// <param name="onlyWatches">For a client that may only watch.</param>
    internal bool IsFull(bool onlyWatches)
    {
        var ofWatchers = Interlocked.Read(ref _ofWatchers);
        var aboveHalf = Math.Max(0, ofWatchers - (_most / 2));
        return onlyWatches && aboveHalf > 0 || memory[MemoryAccount.Requests] - aboveHalf > _most;
    }

    internal void Add(long bytes, bool onlyWatches)
    {
        memory.Add(MemoryAccount.Requests, bytes);
        if (onlyWatches)
        {
            Interlocked.Add(ref _ofWatchers, bytes);
        }
    }
}
