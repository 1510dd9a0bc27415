using System.Runtime.ExceptionServices;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>One cached encoding of a frame. <see cref="Get{T}"/> makes the encoding on the first call, and again after an eviction. Thread-safe.</summary>
internal sealed class CachedEncoding
{
    // _lock is held only briefly. _encodingLock is held while the encoding is made, so that only one caller makes it.
    private readonly Lock _lock = new();
    private readonly Lock _encodingLock = new();
    private ILeased? _encoding;
    private long _chargedBytes;
    private MemoryLedger? _ledger;
    private ExceptionDispatchInfo? _failure;

    public CachedEncoding(object key) => (Key, Node) = (key, new(this));

    public object Key { get; }

    /// <summary>The node of this encoding in the <see cref="EncodingCache"/>.</summary>
    public LinkedListNode<CachedEncoding> Node { get; }

    /// <summary>Returns the encoding with a reference for the caller. While one caller makes the encoding, others wait.</summary>
    /// <param name="frame">The frame. The caller must hold a reference to the frame.</param>
    /// <param name="encoding">Makes the encoding; equal to <see cref="Key"/>.</param>
    /// <param name="ledger">Counts the memory of the encoding; null for no count.</param>
    public T Get<T>(ObservationFrame frame, IFrameEncoding<T> encoding, MemoryLedger? ledger)
        where T : class, ILeased
    {
        if (TryGet() is T there)
        {
            return there;
        }

        T made;
        lock (_encodingLock)
        {
            if (TryGet() is T meanwhile)
            {
                return meanwhile;
            }

            _failure?.Throw();
            made = Make(frame, encoding);
            CacheEncoding(made, ledger);
        }

        if (made is MessageBuffer)
        {
            ledger?.Encodings.Add(this);
        }

        return made;
    }

    /// <summary>Evicts the encoding. Callers that use it keep their references.</summary>
    public void Evict()
    {
        ILeased? made;
        long charged;
        lock (_lock)
        {
            (made, _encoding) = (_encoding, null);
            (charged, _chargedBytes) = (_chargedBytes, 0);
        }

        if (charged > 0)
        {
            _ledger!.Add(MemoryAccount.Encodings, -charged);
        }

        if (made is not IScarce)
        {
            made?.Release();
        }
    }

    private ILeased? TryGet()
    {
        lock (_lock)
        {
            if (_encoding is IScarce scarce)
            {
                return scarce.TryRetain() ? scarce : null;
            }

            _encoding?.Retain();
            return _encoding;
        }
    }

    private T Make<T>(ObservationFrame frame, IFrameEncoding<T> encoding)
        where T : class, ILeased
    {
        try
        {
            using var lap = EncodingClock.StartLap(frame);
            var started = MonotonicClock.NowNs;
            var made = encoding.Encode(frame);
            if (made is MessageBuffer buffer)
            {
                frame.RecordEncoding(encoding.Kind, buffer.Length, started);
            }

            return made;
        }
        catch (Exception failure)
        {
            _failure = ExceptionDispatchInfo.Capture(failure);
            throw;
        }
    }

    // A buffer is charged until its last reference is released, even after eviction. Any other encoding, such as a
    // block in the memory of its zstd group, cannot be evicted; it is charged while the frame caches it. Scarce
    // encodings (shared memory) are only weakly referenced here, so only their users keep them.
    private void CacheEncoding(ILeased made, MemoryLedger? ledger)
    {
        lock (_lock)
        {
            _encoding = made;
            if (made is IScarce)
            {
                return;
            }

            made.Retain();
            if (ledger is not null)
            {
                ledger.Add(MemoryAccount.Encodings, made.Capacity);
                if (made is MessageBuffer buffer)
                {
                    buffer.SetReleaseCallback(ledger.OnEncodingReleased);
                }
                else
                {
                    (_ledger, _chargedBytes) = (ledger, made.Capacity);
                }
            }
        }
    }
}
