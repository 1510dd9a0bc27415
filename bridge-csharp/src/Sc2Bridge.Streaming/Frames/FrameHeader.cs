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
