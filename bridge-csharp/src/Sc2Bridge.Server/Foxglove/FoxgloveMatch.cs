using Google.Protobuf;
using Sc2Bridge.Encodings;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// A match as Foxglove is shown it: its topics and its time. As an encoding it makes the derived messages of a frame, once
/// for all who show the same match.
/// </summary>
internal sealed class FoxgloveMatch : IFrameEncoding<DerivedMessages>
{
    // One for the whole process, so that differences are exact.
    private static readonly long _unixOffsetNs =
        ((DateTimeOffset.UtcNow - DateTimeOffset.UnixEpoch).Ticks * 100) - MonotonicClock.NowNs;

    private readonly MatchScene _scene;

    /// <param name="description">With game info and data.</param>
    /// <param name="identity">Who is shown it: one that has a side sees that alone.</param>
    public FoxgloveMatch(MatchDescription description, Identity identity)
    {
        Description = description;
        IsPlayback = description.Recording.Length > 0 || description.Replay.Length > 0;
        Perspectives = identity.Side is { } own ? [own] : [.. description.Perspectives];
        Topics = [.. FoxgloveTopic.Recorded(Perspectives), .. FoxgloveTopic.Derived(Perspectives)];
        _scene = new MatchScene(description.GameInfo, description.Data);
    }

    public MatchDescription Description { get; }

    /// <summary>Whether it was played before: then its time is the game's, and else the clock's.</summary>
    public bool IsPlayback { get; }

    /// <summary>Those that are shown.</summary>
    public IReadOnlyList<uint> Perspectives { get; }

    /// <summary>A channel each, numbered from 1 in this order.</summary>
    public IReadOnlyList<FoxgloveTopic> Topics { get; }

    /// <summary>The ground; null where it is not known.</summary>
    public byte[]? Terrain(ulong timeNs) => _scene.Terrain(timeNs);

    /// <summary>The time of a game loop that was observed at a time of <see cref="MonotonicClock"/>.</summary>
    public ulong TimeAt(uint loop, long observedNs) =>
        IsPlayback ? GameTime.OfLoop(loop) : (ulong)(observedNs + _unixOffsetNs);

    /// <summary>A frame's time in nanoseconds.</summary>
    public ulong TimeOf(in FrameHeader header) => TimeAt(header.GameLoop, header.ObservedNs);

    /// <summary>A row's time.</summary>
    public ulong TimeOf(in LoggedStep step) => TimeAt(step.Record.GameLoop, step.ObservedNs ?? MonotonicClock.NowNs);

    /// <inheritdoc/>
    public DerivedMessages Encode(ObservationFrame frame)
    {
        try
        {
            return _scene.Derive(frame.Observation.Span, TimeOf(frame.Header));
        }
        catch (InvalidProtocolBufferException invalid)
        {
            throw new EncodingException($"The bridge failed: {invalid.Message}", invalid);
        }
    }

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is FoxgloveMatch other && other.Description.MatchId == Description.MatchId;

    /// <inheritdoc/>
    public override int GetHashCode() => Description.MatchId.GetHashCode(StringComparison.Ordinal);
}
