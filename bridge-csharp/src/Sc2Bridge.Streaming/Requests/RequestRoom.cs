namespace Sc2Bridge.Streaming;

/// <summary>
/// Bounds and charges the memory of all clients' requests, from their arrival until their answers are written. Clients that may only
/// watch have room of their own. Thread-safe.
/// </summary>
/// <param name="memory">Charged.</param>
public sealed class RequestRoom(MemoryLedger memory)
{
    private readonly long _most = memory.Ceiling / 8;
    private readonly long _mostOfWatchers = memory.Ceiling / 16;
    private long _held;
    private long _heldOfWatchers;

    /// <summary>Whether so many bytes are free.</summary>
    internal bool Has(long free, bool onlyWatches) => onlyWatches
        ? Interlocked.Read(ref _heldOfWatchers) + free <= _mostOfWatchers : Interlocked.Read(ref _held) + free <= _most;

    internal void Add(long bytes, bool onlyWatches)
    {
        memory.Add(MemoryAccount.Requests, bytes);
        Interlocked.Add(ref (onlyWatches ? ref _heldOfWatchers : ref _held), bytes);
    }
}
