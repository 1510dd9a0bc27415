using SC2APIProtocol;

namespace Sc2Bridge.GameApi;

/// <summary>The part of a game's state that decides which requests are valid.</summary>
/// <param name="Status">The game's status.</param>
/// <param name="Realtime">Whether the game runs in real time.</param>
/// <param name="Observer">Whether this client only observes.</param>
/// <param name="Shared">Whether another client plays too.</param>
/// <param name="WasReplay">Whether the current or ended game is a replay.</param>
/// <param name="HasReplayRecording">Whether the replay was started with <c>record_replay</c>, so that it can be saved.</param>
public readonly record struct ClientState(
    Status Status, bool Realtime, bool Observer, bool Shared, bool WasReplay, bool HasReplayRecording);
