using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>An observation's position in its match, and its times.</summary>
/// <param name="MatchId">The match's name.</param>
/// <param name="Perspective">A player id; 0 for an observer of all players.</param>
/// <param name="Step">The step number. A match's first observation has 0.</param>
/// <param name="GameLoop">The game's own counter (22.4 per second at speed "faster").</param>
/// <param name="RequestedNs">When the bridge requested the observation, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="ObservedNs">When the game's whole answer had arrived, on the same clock.</param>
public readonly record struct FrameHeader(
    string MatchId, uint Perspective, ulong Step, uint GameLoop, long RequestedNs, long ObservedNs);

/// <summary>
/// One observation for the subscribers: immutable, pooled and reference-counted. The game's bytes are unchanged. The
/// envelope (a <c>PlayResponse</c> with a <c>Frame</c>, see bridge.proto) is directly before them, so one buffer serves
/// every subscriber. A subscriber's own fields are in its <see cref="Delivery"/>.
/// </summary>
public sealed class ObservationFrame
{
    private readonly Lock _lock = new();
    private readonly MessageBuffer _buffer;
    private readonly int _observationStart;
    private readonly int _observationLength;
    private List<CachedEncoding>? _encodings;
    private int _eventStart;
    private FrameEvents? _events;
    private EncodingFigures _figures;
    private MemoryLedger? _ledger;
    private int _references = 1;

    private ObservationFrame(MessageBuffer buffer, in FrameHeader header, int observationStart, int observationLength)
    {
        Header = header;
        _buffer = buffer;
        _observationStart = observationStart;
        _observationLength = observationLength;
        _eventStart = EnvelopeWriter.WriteBefore(buffer.Array, observationStart, observationLength, header);
    }

    /// <summary>The observation's position in the match, and its times.</summary>
    public FrameHeader Header { get; private set; }

    /// <summary>The number of subscribers when the frame was published, without the bridge's own subscribers.</summary>
    public int Subscribers { get; internal set; }

    /// <summary>The number of frames that subscribers lost because this frame arrived.</summary>
    public int Dropped { get; internal set; }

    /// <summary>
    /// The playback's state if this frame does not follow the previous frame of its perspective, as after a seek; otherwise
    /// null. Set it before the frame is published.
    /// </summary>
    public V1.PlaybackState? Jump { get; set; }

    /// <summary>Measures this frame's encodings; null for no measurement. Set it before the frame is published.</summary>
    public EncodingClock? Clock { get; set; }

    /// <summary>The frame's memory in bytes, without its encodings.</summary>
    internal int Capacity => _buffer.Capacity;

    /// <summary>Whether anyone still holds a reference to the frame.</summary>
    public bool IsReferenced => Volatile.Read(ref _references) > 0;

    /// <summary>The serialized <c>ResponseObservation</c>.</summary>
    public ReadOnlyMemory<byte> Observation => _buffer.Array.AsMemory(_observationStart, _observationLength);

    /// <summary>The serialized <c>PlayResponse</c>: envelope and observation.</summary>
    public ReadOnlyMemory<byte> EventMessage =>
        _buffer.Array.AsMemory(_eventStart, _observationStart + _observationLength - _eventStart);

    /// <summary>The events in this observation, which later observations do not repeat. Computed on the first call.</summary>
    internal FrameEvents Events => _events ??= FrameEvents.Of(Observation.Span);

    /// <summary>
    /// Makes a frame from an observation in a buffer, without a copy. Overwrites the bytes before the observation with the
    /// envelope.
    /// </summary>
    /// <param name="buffer">The frame takes ownership and releases it.</param>
    /// <param name="observationStart">The observation's offset in <see cref="MessageBuffer.Written"/>.</param>
    /// <param name="observationLength">The observation's length in bytes.</param>
    /// <param name="header">The position in the match, and the times.</param>
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
    /// <param name="header">The position in the match, and the times.</param>
    public static ObservationFrame Copy(ReadOnlySpan<byte> observation, FrameHeader header)
    {
        var buffer = MessageBuffer.Rent(observation.Length);
        observation.CopyTo(buffer.GetSpan(observation.Length));
        buffer.Advance(observation.Length);
        return Create(buffer, 0, observation.Length, header);
    }

    /// <summary>Changes the step number. Call it only before the frame is published or encoded.</summary>
    /// <param name="step">The new number, as in <see cref="FrameHeader"/>.</param>
    public void Renumber(ulong step)
    {
        Header = Header with { Step = step };
        _eventStart = EnvelopeWriter.WriteBefore(_buffer.Array, _observationStart, _observationLength, Header);
    }

    /// <summary>
    /// Returns this frame in another encoding, which all callers share. The encoding is made on the first call, and again
    /// if it was evicted to free memory.
    /// </summary>
    /// <returns>
    /// The encoding. The caller owns one reference to the encoding, and must release it before the caller's reference to the frame.
    /// </returns>
    public T Encoded<T>(IFrameEncoding<T> encoding)
        where T : class, ILeased => CacheEntryOf(encoding).Get(this, encoding, _ledger);

    /// <summary>Returns this frame in an encoding that produces bytes.</summary>
    public EncodedBytes Encoded(IFrameEncoding<MessageBuffer> encoding)
    {
        var made = Encoded<MessageBuffer>(encoding);
        return new(made.Written, made);
    }

    /// <summary><see cref="Observation"/> without some of its parts.</summary>
    public EncodedBytes ObservationWithout(PartSet parts) =>
        parts == PartSet.None ? new(Observation) : Encoded(ExcludedPartsEncoding.Of(parts));

    /// <summary><see cref="EventMessage"/> without some parts of its observation.</summary>
    public EncodedBytes EventMessageWithout(PartSet parts)
    {
        if (parts == PartSet.None)
        {
            return new(EventMessage);
        }

        var made = Encoded<MessageBuffer>(ExcludedPartsEncoding.Of(parts));
        return new(made.WithHead, made);
    }

    /// <summary>Charges the ledger with the frame and with its later encodings.</summary>
    internal void ChargeTo(MemoryLedger ledger)
    {
        if (_ledger is null)
        {
            _ledger = ledger;
            _buffer.SetReleaseCallback(ledger.OnFrameReleased);
            ledger.Add(MemoryAccount.Frames, _buffer.Capacity);
        }
    }

    /// <summary>Records an encoding that was made of this frame.</summary>
    /// <param name="kind">The kind.</param>
    /// <param name="bytes">The encoding's length in bytes.</param>
    /// <param name="startedNs">When encoding started, in nanoseconds of <see cref="MonotonicClock"/>.</param>
    public void RecordEncoding(EncodingKind kind, int bytes, long startedNs)
    {
        var elapsedNs = MonotonicClock.NowNs - startedNs;
        _figures[(int)kind] = new EncodingFigure(bytes, elapsedNs / 1000f);
        EncodingMeter.Record(kind, elapsedNs, bytes);
    }

    /// <summary>Size and time of an encoding of this frame; null if it was not made.</summary>
    public EncodingFigure? FigureOf(EncodingKind kind) => _figures[(int)kind] is { Bytes: > 0 } made ? made : null;

    /// <summary>Whether the caller has the only reference.</summary>
    internal bool HasOneReference => Volatile.Read(ref _references) == 1;

    /// <summary>Adds a reference. The caller must already have one.</summary>
    /// <exception cref="ObjectDisposedException">The frame was already released.</exception>
    public void Retain() => ObjectDisposedException.ThrowIf(!TryRetain(), this);

    /// <summary>Tries to add a reference. Returns false if the frame was already released.</summary>
    public bool TryRetain()
    {
        var references = Volatile.Read(ref _references);
        while (references > 0)
        {
            var before = Interlocked.CompareExchange(ref _references, references + 1, references);
            if (before == references)
            {
                return true;
            }

            references = before;
        }

        return false;
    }

    /// <summary>Releases one reference. The last release returns the buffers to the pool.</summary>
    public void Release()
    {
        var remaining = Interlocked.Decrement(ref _references);
        ObjectDisposedException.ThrowIf(remaining < 0, this);
        if (remaining == 0)
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
                _ledger?.Encodings.Remove(encoding);
                encoding.Evict();
            }
        }
    }

    // Returns the cache entry of an encoding. The encoding may be not yet made, in progress, made, evicted, or failed.
    private CachedEncoding CacheEntryOf(object encoding)
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

            var created = new CachedEncoding(encoding);
            _encodings.Add(created);
            return created;
        }
    }
}
