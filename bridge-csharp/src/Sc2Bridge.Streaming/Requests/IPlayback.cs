using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Control of a match that is played from a recording, or from a replay in the game.
/// </summary>
public interface IPlayback
{
    /// <summary>Pauses, moves or paces the playback, or only reads its state; from any thread.</summary>
    /// <param name="request">See bridge.proto; not changed.</param>
    /// <returns>Its new state, the caller's own copy.</returns>
    /// <exception cref="RequestRefusedException">
    /// INVALID_ARGUMENT: a value is out of range. FAILED_PRECONDITION: the recording cannot be read there, or the game
    /// cannot be brought there.
    /// </exception>
    PlaybackState Control(ControlRequest request);
}
