using Google.Protobuf;
using Sc2Bridge.Encodings;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// A match for Foxglove: its topics and its time. It is also a frame encoding: the messages of a frame are derived once
/// for all clients of the same match.
/// </summary>
internal sealed class FoxgloveMatch : IFrameEncoding<DerivedMessages>
{
    // The whole process uses one offset to Unix time, so that time differences are exact.
    private static readonly long _unixOffsetNs =
        ((DateTimeOffset.UtcNow - DateTimeOffset.UnixEpoch).Ticks * 100) - MonotonicClock.NowNs;

    private readonly MatchScene _scene;

    /// <param name="description">The description with game info and data.</param>
    /// <param name="identity">The client's identity. A client with a side sees only that side.</param>
    public FoxgloveMatch(MatchDescription description, Identity identity)
    {
        Description = description;
        IsPlayback = description.Recording.Length > 0 || description.Replay.Length > 0;
        Perspectives = identity.Side is { } own ? [own] : [.. description.Perspectives];
        Topics = [.. FoxgloveTopic.Recorded(Perspectives), .. FoxgloveTopic.Derived(Perspectives)];
        _scene = new MatchScene(description.GameInfo, description.Data);
    }

    public MatchDescription Description { get; }

    /// <summary>Whether the match is a playback. Messages of a playback have the game's times, other messages have the clock's times.</summary>
    public bool IsPlayback { get; }

    /// <summary>The perspectives that the client may see.</summary>
    public IReadOnlyList<uint> Perspectives { get; }

    /// <summary>The topics. Each topic has a channel; channels are numbered from 1 in this order.</summary>
    public IReadOnlyList<FoxgloveTopic> Topics { get; }

    /// <summary>Makes the message with the terrain; null if the terrain is unknown.</summary>
    public byte[]? MakeTerrain(ulong timeNs) => _scene.MakeTerrain(timeNs);

    /// <summary>The time, in nanoseconds, of a game loop that was observed at a time of <see cref="MonotonicClock"/>.</summary>
    public ulong TimeAt(uint loop, long observedNs) =>
        IsPlayback ? GameTime.FromLoop(loop) : (ulong)(observedNs + _unixOffsetNs);

    /// <summary>The time of a frame in nanoseconds.</summary>
    public ulong TimeOf(in FrameHeader header) => TimeAt(header.GameLoop, header.ObservedNs);

    /// <summary>The time of a row in nanoseconds.</summary>
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
