using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Controls a match that is played from a recording, or from a replay in the game.</summary>
public interface IPlayback
{
    /// <summary>Pauses, seeks or changes the speed of the playback, or only reads its state. Thread-safe.</summary>
    /// <param name="request">The command; see bridge.proto. The method does not change it.</param>
    /// <returns>The new state. The caller may change this object.</returns>
    /// <exception cref="RequestRefusedException">
    /// INVALID_ARGUMENT: a value is out of range. FAILED_PRECONDITION: the recording cannot be read at that position, or the
    /// game cannot be moved to it.
    /// </exception>
    PlaybackState Control(ControlRequest request);
}
