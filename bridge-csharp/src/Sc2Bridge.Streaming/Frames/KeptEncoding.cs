using System.Runtime.ExceptionServices;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// One encoding of a frame: made on the first call, kept for the next, and made again after it was given up. Thread-safe.
/// </summary>
internal sealed class KeptEncoding
{
    // The first is held briefly; the second while it is made.
    private readonly Lock _lock = new();
    private readonly Lock _turn = new();
    private ILeased? _made;
    private long _charged;
    private MemoryLedger? _ledger;
    private ExceptionDispatchInfo? _failure;

    public KeptEncoding(object key) => (Key, Place) = (key, new(this));

    /// <summary>What makes it.</summary>
    public object Key { get; }

    /// <summary>Its place in the <see cref="EncodingCache"/>.</summary>
    public LinkedListNode<KeptEncoding> Place { get; }

    /// <summary>It, held once more for the caller; concurrent callers wait until it is made.</summary>
    /// <param name="frame">Held by the caller.</param>
    /// <param name="encoding">Equal to the key.</param>
    /// <param name="ledger">Charged with it; null: nothing is.</param>
    public T Get<T>(ObservationFrame frame, IFrameEncoding<T> encoding, MemoryLedger? ledger)
        where T : class, ILeased
    {
        if (Hold() is T there)
        {
            return there;
        }

        T made;
        lock (_turn)
        {
            if (Hold() is T meanwhile)
            {
                return meanwhile;
            }

            _failure?.Throw();
            made = Make(frame, encoding);
            Keep(made, ledger);
        }

        if (made is MessageBuffer)
        {
            ledger?.Encodings.Keep(this);
        }

        return made;
    }

    /// <summary>Lets go of it; who uses it still holds it.</summary>
    public void GiveUp()
    {
        ILeased? made;
        long charged;
        lock (_lock)
        {
            (made, _made) = (_made, null);
            (charged, _charged) = (_charged, 0);
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

    private ILeased? Hold()
    {
        lock (_lock)
        {
            if (_made is IScarce scarce)
            {
                return scarce.TryRetain() ? scarce : null;
            }

            _made?.Retain();
            return _made;
        }
    }

    private T Make<T>(ObservationFrame frame, IFrameEncoding<T> encoding)
        where T : class, ILeased
    {
        try
        {
            using var lap = EncodingClock.Run(frame);
            var started = MonotonicClock.NowNs;
            var made = encoding.Encode(frame);
            if (made is MessageBuffer buffer)
            {
                frame.Made(encoding.Kind, buffer.Length, started);
            }

            return made;
        }
        catch (Exception failure)
        {
            _failure = ExceptionDispatchInfo.Capture(failure);
            throw;
        }
    }

    // A buffer is charged until its last user lets go of it; anything else, as a block whose group keeps its memory, while
    // the frame keeps it, and cannot be made again. What is scarce is only known of here, and held by its readers alone.
    private void Keep(ILeased made, MemoryLedger? ledger)
    {
        lock (_lock)
        {
            _made = made;
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
                    buffer.WhenReleased(ledger.EncodingReleased);
                }
                else
                {
                    (_ledger, _charged) = (ledger, made.Capacity);
                }
            }
        }
    }
}
