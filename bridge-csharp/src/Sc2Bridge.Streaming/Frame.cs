using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>What is known of an observation beside its bytes.</summary>
/// <param name="Match">The match's name.</param>
/// <param name="Perspective">Whose eyes: a player id, 0 for an observer of all.</param>
/// <param name="Step">Counts from 0 at the match's first observation.</param>
/// <param name="GameLoop">The game's own count (22.4 a second at speed "faster").</param>
/// <param name="AskedNs">When the game was asked, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="ArrivedNs">When the whole answer was there, on the same clock.</param>
public readonly record struct FrameHeader(
    string Match, uint Perspective, ulong Step, uint GameLoop, long AskedNs, long ArrivedNs);

/// <summary>
/// One observation on its way to the subscribers: immutable, pooled and shared by reference count. The bytes are the
/// game's own, and the envelope (an <c>Event</c> that holds a <c>Frame</c>, see bridge.proto) stands right before them,
/// with the five bytes before that which gRPC puts in front of a message: so one stretch of memory serves everyone.
/// </summary>
public sealed class Frame
{
    /// <summary>A gRPC message's prefix: one byte "compressed", four bytes length, big-endian.</summary>
    public const int GrpcPrefixLength = 5;

    private readonly MessageBuffer _buffer;
    private readonly int _observationStart;
    private readonly int _observationLength;
    private readonly int _eventStart;
    private readonly FrameEncodings _encodings = new();
    private readonly FrameSelections _selections = new();
    private SkippedParts? _skipped;
    private int _references = 1;

    private Frame(MessageBuffer buffer, FrameHeader header, int observationStart, int observationLength, int eventStart)
    {
        _buffer = buffer;
        Header = header;
        _observationStart = observationStart;
        _observationLength = observationLength;
        _eventStart = eventStart;
    }

    /// <summary>What is known beside the bytes.</summary>
    public FrameHeader Header { get; }

    /// <summary>Subscribers, the bridge's own left out, when the frame was published.</summary>
    public int Subscribers { get; internal set; }

    /// <summary>Frames that subscribers lost because this one came.</summary>
    public int Dropped { get; internal set; }

    /// <summary>What this observation alone carries; found by the first who asks.</summary>
    internal SkippedParts Skipped => _skipped ??= SkippedParts.Of(Observation.Span);

    /// <summary>The serialized <c>ResponseObservation</c>.</summary>
    public ReadOnlyMemory<byte> Observation => _buffer.Array.AsMemory(_observationStart, _observationLength);

    /// <summary>The serialized <c>Event</c>: envelope and observation.</summary>
    public ReadOnlyMemory<byte> EventMessage =>
        _buffer.Array.AsMemory(_eventStart, _observationStart + _observationLength - _eventStart);

    /// <summary><see cref="EventMessage"/> with the gRPC prefix of an uncompressed message before it.</summary>
    public ReadOnlyMemory<byte> GrpcMessage => _buffer.Array.AsMemory(
        _eventStart - GrpcPrefixLength, _observationStart + _observationLength - _eventStart + GrpcPrefixLength);

    /// <summary>
    /// Makes a frame around an observation where it stands, writing the envelope over what is before it.
    /// </summary>
    /// <param name="buffer">Taken over: the frame releases it.</param>
    /// <param name="observationStart">The observation's offset in <see cref="MessageBuffer.Written"/>.</param>
    /// <param name="observationLength">Its length in bytes.</param>
    /// <param name="header">What is known beside the bytes.</param>
    public static Frame Create(MessageBuffer buffer, int observationStart, int observationLength, FrameHeader header)
    {
        ArgumentNullException.ThrowIfNull(buffer);
        ArgumentOutOfRangeException.ThrowIfNegative(observationStart);
        ArgumentOutOfRangeException.ThrowIfNegative(observationLength);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(observationLength, buffer.Length - observationStart);
        var start = MessageBuffer.Headroom + observationStart;
        var eventStart = FrameEnvelope.WriteBefore(buffer.Array, start, observationLength, header);
        return new Frame(buffer, header, start, observationLength, eventStart);
    }

    /// <summary>Makes a frame from bytes of somebody else's, which are copied.</summary>
    /// <param name="observation">The serialized <c>ResponseObservation</c>.</param>
    /// <param name="header">What is known beside the bytes.</param>
    public static Frame Copy(ReadOnlySpan<byte> observation, FrameHeader header)
    {
        var buffer = MessageBuffer.Rent(observation.Length);
        observation.CopyTo(buffer.GetSpan(observation.Length));
        buffer.Advance(observation.Length);
        return Create(buffer, 0, observation.Length, header);
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
    public Frame Select(PartSet leaveOut) => leaveOut == PartSet.None ? this : _selections.Get(this, leaveOut);

    /// <summary>
    /// A copy of this frame, held once by the caller, whose envelope says what was skipped before it.
    /// </summary>
    /// <param name="missed">What was skipped.</param>
    public Frame WithMissed(V1.Missed missed)
    {
        ArgumentNullException.ThrowIfNull(missed);
        return WithMissed(missed.ToByteArray());
    }

    /// <summary>The same, from a serialized <c>Missed</c>.</summary>
    internal Frame WithMissed(ReadOnlySpan<byte> missed)
    {
        // The envelope is written backwards from the observation: room for what does not fit the headroom goes before.
        var observation = Observation.Span;
        var length = missed.Length + observation.Length;
        var buffer = MessageBuffer.Rent(length);
        buffer.Advance(missed.Length);
        observation.CopyTo(buffer.GetSpan(observation.Length));
        buffer.Advance(observation.Length);
        var start = MessageBuffer.Headroom + missed.Length;
        var eventStart = FrameEnvelope.WriteBefore(buffer.Array, start, observation.Length, Header, missed);
        return new Frame(buffer, Header, start, observation.Length, eventStart);
    }

    /// <summary>Holds the frame once more.</summary>
    /// <exception cref="ObjectDisposedException">Nobody held it any more.</exception>
    public void Retain()
    {
        if (Interlocked.Increment(ref _references) <= 1)
        {
            Interlocked.Decrement(ref _references);
            throw new ObjectDisposedException(nameof(Frame));
        }
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
            _buffer.Release();
        }
    }
}
