namespace Sc2Bridge.Streaming;

/// <summary>
/// When the frames of a match are asked for. A live match keeps to its rate; a playback can be paused.
/// </summary>
public interface IPace
{
    /// <summary>Waits until the next frame is due.</summary>
    /// <param name="lastRequestedNs">
    /// When the frame before it was asked for, in nanoseconds of <see cref="Streaming.MonotonicClock"/>; null before the
    /// first.
    /// </param>
    /// <param name="cancellationToken">Gives up.</param>
    ValueTask WaitAsync(long? lastRequestedNs, CancellationToken cancellationToken);
}
