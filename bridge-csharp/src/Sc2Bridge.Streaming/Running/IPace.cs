namespace Sc2Bridge.Streaming;

/// <summary>Decides when the next frame of a match is requested. A live match keeps its rate; a playback can be paused.</summary>
public interface IPace
{
    /// <summary>Waits until the next frame is due.</summary>
    /// <param name="lastRequestedNs">
    /// When the previous frame was requested, in nanoseconds of <see cref="Streaming.MonotonicClock"/>; null before the
    /// first frame.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    ValueTask WaitAsync(long? lastRequestedNs, CancellationToken cancellationToken);
}
