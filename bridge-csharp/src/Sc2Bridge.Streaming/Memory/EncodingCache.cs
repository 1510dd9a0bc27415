namespace Sc2Bridge.Streaming;

/// <summary>
/// The encodings that frames keep. Those that were made first are given up if too much memory is held: they can be made again.
/// Thread-safe.
/// </summary>
internal sealed class EncodingCache(MemoryLedger memory)
{
    private readonly Lock _lock = new();
    private readonly LinkedList<KeptEncoding> _kept = new();

    // No more than a quarter: most are used by the newest frame's readers and never again.
    private bool IsOverfull => memory.IsOver || memory[MemoryAccount.Encodings] > memory.Ceiling / 4;

    /// <summary>An encoding is kept with its frame. It or older ones are given up if too much is held.</summary>
    public void Keep(KeptEncoding encoding)
    {
        lock (_lock)
        {
            if (encoding.Place.List is null)
            {
                _kept.AddLast(encoding.Place);
            }
        }

        GiveUp();
    }

    /// <summary>Its frame is gone.</summary>
    public void Forget(KeptEncoding encoding)
    {
        lock (_lock)
        {
            encoding.Place.List?.Remove(encoding.Place);
        }
    }

    /// <summary>Gives up encodings, the oldest first, until no more is held than may be.</summary>
    public void GiveUp()
    {
        while (IsOverfull)
        {
            KeptEncoding oldest;
            lock (_lock)
            {
                if (_kept.First is not { } first)
                {
                    return;
                }

                _kept.Remove(first);
                oldest = first.Value;
            }

            oldest.GiveUp();
        }
    }
}
