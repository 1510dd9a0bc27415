using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>An observation's place in its match, and its times.</summary>
/// <param name="MatchId">The match's name.</param>
/// <param name="Perspective">A player id, 0 for an observer of all.</param>
/// <param name="Step">Counts from 0 at the match's first observation.</param>
/// <param name="GameLoop">The game's own count (22.4 a second at speed "faster").</param>
/// <param name="RequestedNs">When the game was asked, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="ObservedNs">When the whole answer had arrived, on the same clock.</param>
public readonly record struct FrameHeader(
    string MatchId, uint Perspective, ulong Step, uint GameLoop, long RequestedNs, long ObservedNs);

/// <summary>
/// One observation on its way to the subscribers: immutable, pooled and shared by reference count. The bytes are the
/// game's own, and the envelope (a <c>PlayResponse</c> that holds a <c>Frame</c>, see bridge.proto) stands right before them: so
/// one stretch of memory serves every subscriber. A subscriber's own fields go with its <see cref="Delivery"/>.
/// </summary>
public sealed class ObservationFrame
{
    private readonly Lock _lock = new();
    private readonly MessageBuffer _buffer;
    private readonly int _observationStart;
    private readonly int _observationLength;
    private List<KeptEncoding>? _encodings;
    private int _eventStart;
    private SkippedEvents? _events;
    private EncodingFigures _made;
    private MemoryLedger? _ledger;
    private int _references = 1;

    private ObservationFrame(MessageBuffer buffer, in FrameHeader header, int observationStart, int observationLength)
    {
        Header = header;
        _buffer = buffer;
        _observationStart = observationStart;
        _observationLength = observationLength;
        _eventStart = FrameEnvelope.WriteBefore(buffer.Array, observationStart, observationLength, header);
    }

    /// <summary>Its place in the match, and its times.</summary>
    public FrameHeader Header { get; private set; }

    /// <summary>Subscribers when the frame was published, not counting the bridge's own.</summary>
    public int Subscribers { get; internal set; }

    /// <summary>Frames that subscribers lost because this one came.</summary>
    public int Dropped { get; internal set; }

    /// <summary>
    /// The playback's state, where the frame does not follow the one of its perspective that was published before it,
    /// as after a seek; else null. Set before it is published.
    /// </summary>
    public V1.PlaybackState? Jump { get; set; }

    /// <summary>
    /// Times this frame's encodings; null where that is not measured. Set before it is published.
    /// </summary>
    public EncodingClock? Clock { get; set; }

    /// <summary>Bytes of memory that it takes, without its encodings.</summary>
    internal int Capacity => _buffer.Capacity;

    /// <summary>Whether the frame is held.</summary>
    public bool IsHeld => Volatile.Read(ref _references) > 0;

    /// <summary>The serialized <c>ResponseObservation</c>.</summary>
    public ReadOnlyMemory<byte> Observation => _buffer.Array.AsMemory(_observationStart, _observationLength);

    /// <summary>The serialized <c>PlayResponse</c>: envelope and observation.</summary>
    public ReadOnlyMemory<byte> EventMessage =>
        _buffer.Array.AsMemory(_eventStart, _observationStart + _observationLength - _eventStart);

    /// <summary>What this observation alone carries; found on the first call.</summary>
    internal SkippedEvents Events => _events ??= SkippedEvents.Of(Observation.Span);

    /// <summary>
    /// Makes a frame around an observation where it stands, writing the envelope over what is before it.
    /// </summary>
    /// <param name="buffer">Taken over: the frame releases it.</param>
    /// <param name="observationStart">The observation's offset in <see cref="MessageBuffer.Written"/>.</param>
    /// <param name="observationLength">Its length in bytes.</param>
    /// <param name="header">What is known beside the bytes.</param>
    public static ObservationFrame Create(MessageBuffer buffer, int observationStart, int observationLength, FrameHeader header)
    {
        ArgumentNullException.ThrowIfNull(buffer);
        ArgumentOutOfRangeException.ThrowIfNegative(observationStart);
        ArgumentOutOfRangeException.ThrowIfNegative(observationLength);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(observationLength, buffer.Length - observationStart);
        return new ObservationFrame(buffer, header, MessageBuffer.Headroom + observationStart, observationLength);
    }

    /// <summary>Makes a frame from a copy of the caller's bytes.</summary>
    /// <param name="observation">The serialized <c>ResponseObservation</c>.</param>
    /// <param name="header">What is known beside the bytes.</param>
    public static ObservationFrame Copy(ReadOnlySpan<byte> observation, FrameHeader header)
    {
        var buffer = MessageBuffer.Rent(observation.Length);
        observation.CopyTo(buffer.GetSpan(observation.Length));
        buffer.Advance(observation.Length);
        return Create(buffer, 0, observation.Length, header);
    }

    /// <summary>Gives it another number; only before it is published or encoded.</summary>
    /// <param name="step">As of <see cref="FrameHeader"/>.</param>
    public void Renumber(ulong step)
    {
        Header = Header with { Step = step };
        _eventStart = FrameEnvelope.WriteBefore(_buffer.Array, _observationStart, _observationLength, Header);
    }

    /// <summary>
    /// This frame in another encoding, made on the first call and shared by all callers; made again where it was given up
    /// for want of memory.
    /// </summary>
    /// <returns>Held for the caller, who releases it after use, and before the frame.</returns>
    public T Encoded<T>(IFrameEncoding<T> encoding)
        where T : class, ILeased => Kept(encoding).Get(this, encoding, _ledger);

    /// <summary>The same, of an encoding into bytes.</summary>
    public EncodedBytes Encoded(IFrameEncoding<MessageBuffer> encoding)
    {
        var made = Encoded<MessageBuffer>(encoding);
        return new(made.Written, made);
    }

    /// <summary><see cref="Observation"/> without some of its parts.</summary>
    public EncodedBytes ObservationWithout(PartSet parts) =>
        parts == PartSet.None ? new(Observation) : Encoded(ExcludedParts.Of(parts));

    /// <summary><see cref="EventMessage"/> without some parts of its observation.</summary>
    public EncodedBytes EventMessageWithout(PartSet parts)
    {
        if (parts == PartSet.None)
        {
            return new(EventMessage);
        }

        var made = Encoded<MessageBuffer>(ExcludedParts.Of(parts));
        return new(made.WithHead, made);
    }

    /// <summary>Charges an account with it and with what is made of it from now on.</summary>
    internal void ChargeTo(MemoryLedger ledger)
    {
        if (_ledger is null)
        {
            _ledger = ledger;
            _buffer.WhenReleased(ledger.FrameReleased);
            ledger.Add(MemoryAccount.Frames, _buffer.Capacity);
        }
    }

    /// <summary>Records an encoding that was made of this frame.</summary>
    /// <param name="kind">What.</param>
    /// <param name="bytes">Its length.</param>
    /// <param name="startedNs">By <see cref="MonotonicClock"/>.</param>
    public void Made(EncodingKind kind, int bytes, long startedNs)
    {
        var elapsedNs = MonotonicClock.NowNs - startedNs;
        _made[(int)kind] = new EncodingFigure(bytes, elapsedNs / 1000f);
        EncodingMeter.Record(kind, elapsedNs, bytes);
    }

    /// <summary>Size and time of an encoding of this frame; null where it was not made.</summary>
    public EncodingFigure? FigureOf(EncodingKind kind) => _made[(int)kind] is { Bytes: > 0 } made ? made : null;

    /// <summary>Whether only the caller holds the frame.</summary>
    internal bool IsHeldOnce => Volatile.Read(ref _references) == 1;

    /// <summary>Holds the frame once more.</summary>
    /// <exception cref="ObjectDisposedException">It was released already.</exception>
    public void Retain() => ObjectDisposedException.ThrowIf(!TryRetain(), this);

    /// <summary>Holds the frame once more; false where it was released already.</summary>
    public bool TryRetain()
    {
        var held = Volatile.Read(ref _references);
        while (held > 0)
        {
            var before = Interlocked.CompareExchange(ref _references, held + 1, held);
            if (before == held)
            {
                return true;
            }

            held = before;
        }

        return false;
    }

    /// <summary>Releases one hold; the last gives the buffers back.</summary>
    public void Release()
    {
        var left = Interlocked.Decrement(ref _references);
        ObjectDisposedException.ThrowIf(left < 0, this);
        if (left == 0)
        {
            ReleaseEncodings();
            _buffer.Release();
        }
    }

    private void ReleaseEncodings()
    {
        if (_encodings is { } made)
        {
            foreach (var encoding in made)
            {
                _ledger?.Encodings.Forget(encoding);
                encoding.GiveUp();
            }
        }
    }

    // Made, being made, or failed to be.
    private KeptEncoding Kept(object encoding)
    {
        lock (_lock)
        {
            foreach (var known in _encodings ??= new(2))
            {
                if (known.Key.Equals(encoding))
                {
                    return known;
                }
            }

            var kept = new KeptEncoding(encoding);
            _encodings.Add(kept);
            return kept;
        }
    }
}
