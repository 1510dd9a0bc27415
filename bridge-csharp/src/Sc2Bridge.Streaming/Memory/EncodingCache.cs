namespace Sc2Bridge.Streaming;

/// <summary>
/// The encodings that frames cache. If these encodings use too much memory, the oldest ones are evicted. A frame can make an
/// evicted encoding again. Thread-safe.
/// </summary>
internal sealed class EncodingCache(MemoryLedger memory)
{
    private readonly Lock _lock = new();
    private readonly LinkedList<CachedEncoding> _oldestFirst = new();

    // Encodings may use a quarter of the ceiling. They need no more, because most are used only while their frame is the newest.
    private bool IsOverfull => memory.IsOverCeiling || memory[MemoryAccount.Encodings] > memory.Ceiling / 4;

    /// <summary>Adds an encoding. Evicts the oldest encodings if they use too much memory.</summary>
    public void Add(CachedEncoding encoding)
    {
        lock (_lock)
        {
            if (encoding.Node.List is null)
            {
                _oldestFirst.AddLast(encoding.Node);
            }
        }

        EvictOldest();
    }

    /// <summary>Removes an encoding whose frame was released.</summary>
    public void Remove(CachedEncoding encoding)
    {
        lock (_lock)
        {
            encoding.Node.List?.Remove(encoding.Node);
        }
    }

    /// <summary>Evicts the oldest encodings until the memory is within its limits.</summary>
    public void EvictOldest()
    {
        while (IsOverfull)
        {
            CachedEncoding oldest;
            lock (_lock)
            {
                if (_oldestFirst.First is not { } first)
                {
                    return;
                }

                _oldestFirst.Remove(first);
                oldest = first.Value;
            }

            oldest.Evict();
        }
    }
}
