using SC2APIProtocol;

namespace Sc2Bridge.GameApi;

/// <summary>What the game's state has to do with a request.</summary>
/// <param name="Status">Where the game is.</param>
/// <param name="Realtime">Whether the clock moves it.</param>
/// <param name="Observer">Whether this client only watches.</param>
/// <param name="Shared">Whether another client plays too.</param>
/// <param name="WasReplay">Whether what has ended was a replay.</param>
/// <param name="Recorded">Whether a replay was started so that it can be saved.</param>
public readonly record struct ClientState(
    Status Status, bool Realtime, bool Observer, bool Shared, bool WasReplay, bool Recorded);
