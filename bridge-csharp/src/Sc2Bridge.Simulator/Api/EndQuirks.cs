namespace Sc2Bridge.Simulator.Api;

/// <summary>What the game is known to do when a match ends.</summary>
[Flags]
internal enum EndQuirks
{
    /// <summary>Nothing odd: PySC2's environment raises where the last observation of an episode has no result.</summary>
    None = 0,

    /// <summary>The first observation that says <c>ended</c> has no results yet; the next has.</summary>
    LateResults = 1,

    /// <summary>
    /// The first request after the end is refused with "Game has already ended" while the state is still in_game.
    /// </summary>
    LateStatus = 2,

    /// <summary>Once the results were told, observations are a stub with game_loop 2^32-1 and the results.</summary>
    Stub = 4,
}
