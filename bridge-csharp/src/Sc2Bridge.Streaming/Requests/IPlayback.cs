using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// A match that is played from a recording, or from a replay in the game: what can be done with it beside hearing it.
/// </summary>
public interface IPlayback
{
    /// <summary>Holds, moves or paces the playback, or only tells how it stands; from any thread.</summary>
    /// <param name="request">See bridge.proto; not changed.</param>
    /// <returns>How it stands from now on, for the caller alone.</returns>
    /// <exception cref="RequestRefusedException">
    /// INVALID_ARGUMENT: it cannot be so. FAILED_PRECONDITION: the recording cannot be read there, or the game not
    /// taken there.
    /// </exception>
    PlaybackState Control(ControlRequest request);
}
