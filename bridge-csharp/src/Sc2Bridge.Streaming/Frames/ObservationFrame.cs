using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>What is known of an observation beside its bytes.</summary>
/// <param name="MatchId">The match's name.</param>
/// <param name="Perspective">Whose eyes: a player id, 0 for an observer of all.</param>
/// <param name="Step">Counts from 0 at the match's first observation.</param>
/// <param name="GameLoop">The game's own count (22.4 a second at speed "faster").</param>
/// <param name="RequestedNs">When the game was asked, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="ObservedNs">When the whole answer was there, on the same clock.</param>
public readonly record struct FrameHeader(
    string MatchId, uint Perspective, ulong Step, uint GameLoop, long RequestedNs, long ObservedNs);

/// <summary>
/// One observation on its way to the subscribers: immutable, pooled and shared by reference count. The bytes are the
/// game's own, and the envelope (an <c>Event</c> that holds a <c>Frame</c>, see bridge.proto) stands right before them: so
/// one stretch of memory serves everyone.
/// </summary>
public sealed class ObservationFrame
{
    private readonly FrameEncodings _encodings = new();
    private readonly FrameSelections _selections = new();
    private readonly ObservationFrame? _origin;
    private readonly byte[] _own = [];
    private MessageBuffer? _buffer;
    private int _observationStart;
    private int _eventStart;
    private FrameAttachment? _attachments;
    private SkippedEvents? _skipped;
    private EncodingFigures _made;
    private int _references = 1;

    private ObservationFrame(MessageBuffer buffer, FrameHeader header, int observationStart, int observationLength, int eventStart)
    {
        Header = header;
        ObservationLength = observationLength;
        _buffer = buffer;
        _observationStart = observationStart;
        _eventStart = eventStart;
    }

    private ObservationFrame(ObservationFrame origin, byte[] own)
    {
        origin.Retain();
        Header = origin.Header;
        Clock = origin.Clock;
        LeftOut = origin.LeftOut;
        ObservationLength = origin.ObservationLength;
        _origin = origin;
        _own = own;
    }

    /// <summary>What is known beside the bytes.</summary>
    public FrameHeader Header { get; private set; }

    /// <summary>Subscribers, the bridge's own left out, when the frame was published.</summary>
    public int Subscribers { get; internal set; }

    /// <summary>Frames that subscribers lost because this one came.</summary>
    public int Dropped { get; internal set; }

    /// <summary>
    /// Where the frame does not follow the one of its perspective that was published before it, as after a seek: how the
    /// playback stands that moved. Set before it is published; null where it follows.
    /// </summary>
    public V1.PlaybackState? Jump { get; set; }

    /// <summary>
    /// Counts what making this frame's other forms takes; null where nobody measures that. Set before it is published.
    /// </summary>
    public EncodingClock? Clock { get; set; }

    /// <summary>The parts that this frame was made without.</summary>
    public PartSet LeftOut { get; internal set; }

    /// <summary>What this observation alone carries; found by the first who asks.</summary>
    internal SkippedEvents Skipped => _skipped ??= SkippedEvents.Of(Observation.Span);

    /// <summary>
    /// The frame that others have too: this one, or the one that this is with what one subscriber has of its own.
    /// </summary>
    public ObservationFrame Shared => _origin ?? this;

    /// <summary>
    /// What one subscriber alone has in this frame's envelope: <c>missed</c> and <c>results</c> as serialized fields of
    /// <c>Frame</c>, or nothing.
    /// </summary>
    public ReadOnlyMemory<byte> Own => _own;

    /// <summary>The serialized <c>ResponseObservation</c>.</summary>
    public ReadOnlyMemory<byte> Observation =>
        _origin?.Observation ?? _buffer!.Array.AsMemory(_observationStart, ObservationLength);

    /// <summary>The serialized <c>Event</c>: envelope and observation.</summary>
    public ReadOnlyMemory<byte> EventMessage => Whole();

    private int ObservationLength { get; }

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
        var start = MessageBuffer.Headroom + observationStart;
        var eventStart = FrameEnvelope.WriteBefore(buffer.Array, start, observationLength, header);
        return new ObservationFrame(buffer, header, start, observationLength, eventStart);
    }

    /// <summary>Makes a frame from bytes of somebody else's, which are copied.</summary>
    /// <param name="observation">The serialized <c>ResponseObservation</c>.</param>
    /// <param name="header">What is known beside the bytes.</param>
    public static ObservationFrame Copy(ReadOnlySpan<byte> observation, FrameHeader header)
    {
        var buffer = MessageBuffer.Rent(observation.Length);
        observation.CopyTo(buffer.GetSpan(observation.Length));
        buffer.Advance(observation.Length);
        return Create(buffer, 0, observation.Length, header);
    }

    /// <summary>Gives it another number; before it is published and any other form of it is asked for.</summary>
    /// <param name="step">As of <see cref="FrameHeader"/>.</param>
    public void Renumber(ulong step)
    {
        Header = Header with { Step = step };
        _eventStart = FrameEnvelope.WriteBefore(_buffer!.Array, _observationStart, ObservationLength, Header);
    }

    /// <summary>
    /// This frame in another encoding, made by the first who asks and shared by all who ask after it; it lives as long
    /// as the frame.
    /// </summary>
    public ReadOnlyMemory<byte> Encoded(IFrameEncoding encoding) => _encodings.Get(this, encoding);

    /// <summary>
    /// This frame without some parts of its observation, made by the first who asks and shared by all who leave out the
    /// same; this frame itself where it has none of them.
    /// </summary>
    /// <param name="leaveOut">The parts.</param>
    /// <returns>A frame that lives as long as this one, and longer for who holds it.</returns>
    public ObservationFrame Select(PartSet leaveOut) => leaveOut == PartSet.None ? this : _selections.Get(this, leaveOut);

    /// <summary>
    /// This frame for one subscriber, held once by the caller, with an envelope that says what was skipped before it
    /// and what became of its actions. The observation is copied when its whole message is asked for, and not before.
    /// </summary>
    /// <param name="own"><see cref="Own"/>.</param>
    internal ObservationFrame With(byte[] own) => new(Shared, own);

    /// <summary>Something was made of this frame for its subscribers: what, how long it is, and when that began.</summary>
    /// <param name="kind">What.</param>
    /// <param name="bytes">Its length.</param>
    /// <param name="startedNs">By <see cref="MonotonicClock"/>.</param>
    public void Made(EncodingKind kind, int bytes, long startedNs)
    {
        var elapsedNs = MonotonicClock.NowNs - startedNs;
        _made[(int)kind] = new EncodingFigure(bytes, elapsedNs / 1000f);
        EncodingMeter.Record(kind, elapsedNs);
    }

    /// <summary>What is known of something that was made of this frame; null where it was not made.</summary>
    public EncodingFigure? MadeOf(EncodingKind kind) => _made[(int)kind] is { Bytes: > 0 } made ? made : null;

    /// <summary>Keeps something with the frame; to be called while it is being published.</summary>
    public void Attach(FrameAttachment attachment)
    {
        ArgumentNullException.ThrowIfNull(attachment);
        attachment.Next = _attachments;
        Volatile.Write(ref _attachments, attachment);
    }

    /// <summary>What an owner attached; null where it did not.</summary>
    public FrameAttachment? Attached(object owner)
    {
        var found = Volatile.Read(ref _attachments);
        while (found is not null && found.Owner != owner)
        {
            found = found.Next;
        }

        return found;
    }

    /// <summary>Whether there is one hold, which then is the asker's.</summary>
    internal bool IsHeldOnce => Volatile.Read(ref _references) == 1;

    /// <summary>Holds the frame once more.</summary>
    /// <exception cref="ObjectDisposedException">Nobody held it any more.</exception>
    public void Retain() => ObjectDisposedException.ThrowIf(!TryRetain(), this);

    /// <summary>Holds the frame once more; false where nobody held it any more.</summary>
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

    /// <summary>Lets go of one hold; the last gives the buffers back.</summary>
    public void Release()
    {
        var left = Interlocked.Decrement(ref _references);
        ObjectDisposedException.ThrowIf(left < 0, this);
        if (left == 0)
        {
            _encodings.Release();
            _selections.Release(this);
            _buffer?.Release();
            _origin?.Release();
            for (var attachment = _attachments; attachment is not null;)
            {
                // It may be used again as soon as it is told.
                var next = attachment.Next;
                attachment.Next = null;
                attachment.OnFrameReleased();
                attachment = next;
            }
        }
    }

    private ReadOnlyMemory<byte> Whole()
    {
        if (_buffer is null)
        {
            CopyOrigin();
        }

        return _buffer!.Array.AsMemory(_eventStart, _observationStart + ObservationLength - _eventStart);
    }

    // The envelope is written backwards from the observation: room for what does not fit the headroom goes before.
    private void CopyOrigin()
    {
        var buffer = MessageBuffer.Rent(_own.Length + ObservationLength);
        buffer.Advance(_own.Length);
        Observation.Span.CopyTo(buffer.GetSpan(ObservationLength));
        buffer.Advance(ObservationLength);
        _observationStart = MessageBuffer.Headroom + _own.Length;
        _eventStart = FrameEnvelope.WriteBefore(buffer.Array, _observationStart, ObservationLength, Header, _own);
        _buffer = buffer;
    }
}
