namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// One of the bridge's own codecs, which the step log measures on each frame, on its own thread: it makes its form of the
/// frame anew, whatever the subscribers' was, and fills its cells.
/// </summary>
public interface IFrameProbe
{
    /// <summary>Measures a frame.</summary>
    /// <param name="frame">Held by the caller.</param>
    /// <param name="figures">What is not measured, also because the bytes are no observation, stays null.</param>
    void Measure(ObservationFrame frame, ref CodecFigures figures);
}
