namespace Sc2Bridge.Simulator.Api;

/// <summary>Quirks of the real game at the end of a match.</summary>
[Flags]
internal enum EndQuirks
{
    /// <summary>No quirks. PySC2's environment raises an error if the last observation of an episode has no result.</summary>
    None = 0,

    /// <summary>The first observation with the status <c>ended</c> has no results yet. The next one has them.</summary>
    LateResults = 1,

    /// <summary>The first request after the end is refused with "Game has already ended", and the status is still in_game.</summary>
    LateStatus = 2,

    /// <summary>After the results were reported, observations hold only game_loop 2^32-1 and the results.</summary>
    Stub = 4,
}
