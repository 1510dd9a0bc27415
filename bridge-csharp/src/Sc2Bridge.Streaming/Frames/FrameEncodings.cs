using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>The encodings that were made of one frame so far, or failed to be. Thread-safe.</summary>
internal sealed class FrameEncodings
{
    private readonly Lock _lock = new();
    private List<KeptEncoding>? _made;

    /// <summary>The encoding, made on the first call; concurrent callers wait for it. Held for the caller.</summary>
    public T Get<T>(ObservationFrame frame, IFrameEncoding<T> encoding, MemoryLedger? ledger)
        where T : class, ILeased => Find(encoding).Get(frame, encoding, ledger);

    /// <summary>Releases all of them.</summary>
    public void Release(MemoryLedger? ledger)
    {
        foreach (var encoding in _made ?? [])
        {
            ledger?.Forget(encoding);
            encoding.GiveUp();
        }
    }

    private KeptEncoding Find(object encoding)
    {
        lock (_lock)
        {
            foreach (var known in _made ??= new(2))
            {
                if (known.Key.Equals(encoding))
                {
                    return known;
                }
            }

            var made = new KeptEncoding(encoding);
            _made.Add(made);
            return made;
        }
    }
}
